//! A plot of ratios: a lane per bench, with a dot where heist is, against its best peer.
//!
//! To the left heist is faster. The noise band is behind the dot; a dot within it means nothing.

use super::markup::{LogScale, anchor, escape};
use super::model::{Bench, Verdict, is_peer};
use crate::bench::report::{Record, figure, plain};

/// Height of the axis above the lanes, and of a lane with its name.
const AXIS: usize = 34;
const ROW: usize = 40;

/// So many lanes have an axis below as well.
const MANY: usize = 8;

/// Ratios beyond are drawn at the end of the lane: one of a thousand would leave no room for the others.
const FARTHEST: f64 = 32.0;

/// Percent of the width that is left free at both ends.
const INSET: f64 = 2.0;

pub fn plot(benches: &[Bench<'_>]) -> String {
    let scale = scale(benches);
    let height = AXIS + ROW * benches.len() + if benches.len() > MANY { 24 } else { 0 };
    let group = benches[0].group();
    let id = anchor(group);
    let mut svg = format!(
        "<svg class=\"ratios\" height=\"{height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n\
         <title id=\"{id}-title\">Heist's time over that of its best peer, group {}</title>\n\
         <desc id=\"{id}-desc\">{}</desc>\n",
        escape(group),
        escape(&description(benches)),
    );
    svg += &axis(scale, benches.len());
    for (row, bench) in benches.iter().enumerate() {
        svg += &lane(bench, scale, AXIS + ROW * row);
    }
    svg + "</svg>\n"
}

/// What the plot shows, for those who do not see it; the figures are in the table.
fn description(benches: &[Bench<'_>]) -> String {
    let count = |verdict| benches.iter().filter(|bench| bench.verdict() == verdict).count();
    format!(
        "A logarithmic scale with a lane per bench. Of {} benches heist is faster in {}, slower in {} and \
         within the noise in {}.",
        benches.len(),
        count(Verdict::Faster),
        count(Verdict::Slower),
        count(Verdict::Same),
    )
}

fn scale(benches: &[Bench<'_>]) -> LogScale {
    let of_bench = |bench: &Bench<'_>| {
        let ratios = bench.others().flat_map(|record| {
            let spread =
                record.spread.filter(|_| is_peer(record)).map(|spread| [spread.lowest, spread.highest]);
            [record.ratio].into_iter().chain(spread.into_iter().flatten())
        });
        ratios.chain([bench.band.lowest, bench.band.highest]).collect::<Vec<_>>()
    };
    // At least from a half to the double, or noise would look like a difference.
    let ratios = benches.iter().flat_map(of_bench).chain([0.5, 2.0]);
    LogScale::over(ratios.map(|ratio| ratio.clamp(1.0 / FARTHEST, FARTHEST))).rounded(2.0)
}

fn x(scale: LogScale, ratio: f64) -> String {
    format!("{:.2}%", INSET + scale.place(ratio) * (100.0 - 2.0 * INSET))
}

/// Lines from the top to the bottom, with their ratios above, and if that is far away also below.
fn axis(scale: LogScale, rows: usize) -> String {
    let bottom = AXIS + ROW * rows;
    let mut svg = "<text class=\"way\" x=\"0\" y=\"11\">← heist is faster</text>\
        <text class=\"way\" x=\"100%\" y=\"11\" text-anchor=\"end\">heist is slower →</text>\n"
        .to_owned();
    for tick in scale.ticks(2.0, 9) {
        let x = x(scale, tick);
        let class = if tick == 1.0 { "tick one" } else { "tick" };
        svg += &format!("<line class=\"{class}\" x1=\"{x}\" x2=\"{x}\" y1=\"{AXIS}\" y2=\"{bottom}\"/>\n");
        let labels = [Some(AXIS - 7), (rows > MANY).then_some(bottom + 16)];
        for y in labels.into_iter().flatten() {
            svg +=
                &format!("<text class=\"tick\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{tick}</text>\n");
        }
    }
    svg
}

fn lane(bench: &Bench<'_>, scale: LogScale, top: usize) -> String {
    let middle = top + 27;
    let mut svg = format!(
        "<g>\n<text class=\"name\" x=\"0\" y=\"{y}\">{} <tspan class=\"faint\">{}</tspan></text>\n",
        escape(bench.name()),
        escape(&figure(bench.heist())),
        y = top + 13,
    );
    svg += &result(bench, top + 13);
    svg += &format!("<line class=\"lane\" x1=\"0\" x2=\"100%\" y1=\"{middle}\" y2=\"{middle}\"/>\n");
    svg += &band(bench, scale, middle);
    let (best, verdict) = (bench.best_peer(), bench.verdict());
    svg += &best.map_or(String::new(), |best| spread(best, verdict, scale, middle));
    for other in bench.others().filter(|other| best.is_none_or(|best| best.who != other.who)) {
        svg += &small_mark(other, scale, middle);
    }
    svg += &best.map_or(String::new(), |best| dot(best, verdict, scale, middle));
    svg + "</g>\n"
}

/// In words, at the end of the line above the lane.
fn result(bench: &Bench<'_>, y: usize) -> String {
    let Some(best) = bench.best_peer() else {
        return String::new();
    };
    let verdict = bench.verdict();
    let word = if verdict == Verdict::Slower { ", slower" } else { "" };
    format!(
        "<text class=\"result {}\" x=\"100%\" y=\"{y}\" text-anchor=\"end\">{}\
         <tspan class=\"who\"> of {}</tspan>{word}</text>\n",
        verdict.word(),
        plain(best.ratio),
        escape(&best.who),
    )
}

fn band(bench: &Bench<'_>, scale: LogScale, middle: usize) -> String {
    let (low, high) = (scale.place(bench.band.lowest), scale.place(bench.band.highest));
    format!(
        "<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{:.2}%\" height=\"16\">\
         <title>noise: {} to {}</title></rect>\n",
        x(scale, bench.band.lowest),
        middle - 8,
        (high - low) * (100.0 - 2.0 * INSET),
        plain(bench.band.lowest),
        plain(bench.band.highest),
    )
}

/// How far the ratios to the best peer were apart in several processes.
fn spread(best: &Record, verdict: Verdict, scale: LogScale, middle: usize) -> String {
    best.spread.map_or(String::new(), |spread| {
        format!(
            "<line class=\"spread {}\" x1=\"{}\" x2=\"{}\" y1=\"{middle}\" y2=\"{middle}\"/>\n",
            verdict.word(),
            x(scale, spread.lowest),
            x(scale, spread.highest),
        )
    })
}

/// The best peer.
fn dot(best: &Record, verdict: Verdict, scale: LogScale, middle: usize) -> String {
    format!(
        "<circle class=\"{}\" cx=\"{}\" cy=\"{middle}\" r=\"6\"><title>{}</title></circle>\n",
        verdict.word(),
        x(scale, best.ratio),
        escape(&words(best)),
    )
}

/// Another peer is a ring, plain code and other ways to use heist are squares.
fn small_mark(other: &Record, scale: LogScale, middle: usize) -> String {
    let (x, title) = (x(scale, other.ratio), escape(&words(other)));
    if is_peer(other) {
        return format!(
            "<circle class=\"other\" cx=\"{x}\" cy=\"{middle}\" r=\"3.5\"><title>{title}</title></circle>\n"
        );
    }
    format!(
        "<rect class=\"other\" x=\"{x}\" y=\"{}\" width=\"6\" height=\"6\" transform=\"translate(-3 0)\">\
         <title>{title}</title></rect>\n",
        middle - 3
    )
}

fn words(other: &Record) -> String {
    format!("{} of {}, which takes {}", plain(other.ratio), other.who, figure(other))
}
