//! A plot of cost against size, both logarithmic: a line per contender.

use super::markup::{LogScale, anchor, escape};
use super::model::{Series, others};
use crate::bench::report::{figure, time};

const HEIGHT: f64 = 240.0;
/// Room above the highest line of the grid, for its label, and below the lowest, for the sizes.
const TOP: f64 = 18.0;
const BOTTOM: f64 = 26.0;
/// Percent of the width that is left free at both ends: on the left are the labels of the grid.
const LEFT: f64 = 13.0;
const RIGHT: f64 = 4.0;

/// A figure with a legend.
pub fn plot(series: &Series<'_, '_>) -> String {
    let plot = Plot::of(series);
    let name = format!("{}n{}", series.before, series.after);
    let id = anchor(&format!("{} {name}", series.benches[0].1.group()));
    let mut html = format!(
        "<figure class=\"sizes\">\n<figcaption>{}</figcaption>\n{}\
         <svg height=\"{HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n\
         <title id=\"{id}-title\">Cost against size: {}</title>\n<desc id=\"{id}-desc\">{}</desc>\n",
        escape(&name),
        plot.legend(),
        escape(&name),
        escape(&plot.description()),
    );
    html += &plot.grid();
    // Heist last, so that it is on top.
    for contender in (0..plot.contenders.len()).rev() {
        html += &plot.line(contender);
    }
    html + "</svg>\n</figure>\n"
}

struct Plot<'s, 'r> {
    series: &'s Series<'s, 'r>,
    /// Heist first.
    contenders: Vec<&'r str>,
    sizes: LogScale,
    costs: LogScale,
}

impl<'s, 'r> Plot<'s, 'r> {
    fn of(series: &'s Series<'s, 'r>) -> Self {
        let benches = || series.benches.iter().map(|(_, bench)| *bench);
        let mut contenders = vec![benches().next().map_or("heist", |bench| &bench.heist().who)];
        for bench in benches() {
            let new = others(std::slice::from_ref(bench));
            contenders.extend(new.into_iter().filter(|who| !contenders.contains(who)).collect::<Vec<_>>());
        }
        let costs = benches().flat_map(|bench| {
            let all = [bench.heist()].into_iter().chain(bench.others());
            all.map(|record| record.median_ns).collect::<Vec<_>>()
        });
        Self {
            contenders,
            sizes: LogScale::over(series.benches.iter().map(|(size, _)| *size)),
            costs: LogScale::over(costs).rounded(10.0),
            series,
        }
    }

    fn description(&self) -> String {
        let (first, last) = (&self.series.benches[0], &self.series.benches[self.series.benches.len() - 1]);
        let cost = |who: &&str| {
            let [first, last] = [first.1, last.1].map(|bench| bench.of(who).map_or("-".to_owned(), figure));
            format!("{who} from {first} to {last}")
        };
        let costs: Vec<String> = self.contenders.iter().map(cost).collect();
        format!(
            "Both scales are logarithmic. From {} to {}: {}.",
            short(first.0),
            short(last.0),
            costs.join(", ")
        )
    }

    fn legend(&self) -> String {
        let entry = |(number, who): (usize, &&str)| {
            let who = escape(who);
            format!(
                "<li><svg width=\"28\" height=\"10\" aria-hidden=\"true\">\
                 <line class=\"c{number}\" x1=\"0\" x2=\"28\" y1=\"5\" y2=\"5\"/></svg> {who}</li>\n"
            )
        };
        let entries: String = self.contenders.iter().enumerate().map(entry).collect();
        format!("<ul class=\"legend\">\n{entries}</ul>\n")
    }

    fn x(&self, size: f64) -> String {
        format!("{:.2}%", LEFT + self.sizes.place(size) * (100.0 - LEFT - RIGHT))
    }

    fn y(&self, cost: f64) -> String {
        format!("{:.1}", TOP + (1.0 - self.costs.place(cost)) * (HEIGHT - TOP - BOTTOM))
    }

    /// Labels of costs stand on their lines, so that they need no room of their own.
    fn grid(&self) -> String {
        let mut svg = String::new();
        for cost in self.costs.ticks(10.0, 7) {
            let y = self.y(cost);
            svg += &format!(
                "<line class=\"tick\" x1=\"0\" x2=\"100%\" y1=\"{y}\" y2=\"{y}\"/>\
                 <text class=\"tick\" x=\"0\" y=\"{y}\" dy=\"-4\">{}</text>\n",
                time(cost).replace(".0 ", " ").replace(".00 ", " "),
            );
        }
        for (size, _) in &self.series.benches {
            svg += &format!(
                "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                self.x(*size),
                HEIGHT - 6.0,
                short(*size),
            );
        }
        svg
    }

    fn line(&self, contender: usize) -> String {
        let who = self.contenders[contender];
        let points: Vec<_> = self
            .series
            .benches
            .iter()
            .filter_map(|(size, bench)| Some((self.x(*size), bench.of(who)?)))
            .map(|(x, record)| (x, self.y(record.median_ns), record))
            .collect();
        let mut svg = format!("<g class=\"c{contender}\">\n");
        for pair in points.windows(2) {
            let [(x1, y1, _), (x2, y2, _)] = pair else { unreachable!("windows of two") };
            svg += &format!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>\n");
        }
        for (x, y, record) in &points {
            let title = escape(&format!("{who}, {}: {}", record.bench, figure(record)));
            svg += &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\"><title>{title}</title></circle>\n");
        }
        svg + "</g>\n"
    }
}

/// Short enough for a phone: 10 k, 1 M.
fn short(size: f64) -> String {
    match size {
        ..1e3 => format!("{size}"),
        1e3..1e6 => format!("{} k", size / 1e3),
        _ => format!("{} M", size / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_size_is_short() {
        assert_eq!([10.0, 1e3, 1e5, 1e7].map(short), ["10", "1 k", "100 k", "10 M"]);
    }
}
