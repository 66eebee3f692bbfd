//! The results as one page that needs nothing else: plots, the figures behind them, and where they are from.
//!
//! What a page is made of are the records that are also the lines of `--json`, so a page can be made of such
//! a file too. It is well-formed XML besides being HTML, has no script, and adapts to light and dark and to
//! the width of a phone.

mod facts;
mod markup;
mod model;
mod ratios;
mod sizes;
mod table;

pub use facts::{Facts, of_file, of_this_run};

use super::GROUPS;
use super::report::{Record, plain};
use markup::{anchor, escape};
use model::{Bench, Verdict, groups, series};

/// The whole page.
///
/// # Panics
/// If there are no records.
pub fn page(facts: &Facts, records: &[Record]) -> String {
    let groups = groups(records);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>heist bench</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>heist bench</h1>\n",
        include_str!("style.css"),
    );
    html += &list_of_facts(facts);
    html += READING;
    if records.iter().all(|record| record.spread.is_none()) {
        html += ONE_PROCESS;
    }
    html += &verdicts(&groups);
    html += &contents(&groups);
    html += "</header>\n<main>\n";
    for group in &groups {
        html += &section(group);
    }
    html + "</main>\n</body>\n</html>\n"
}

/// How to read the plots.
const READING: &str = include_str!("reading.html");

const ONE_PROCESS: &str = "\
<p class=\"note\">These are the results of one process. The same program may come out otherwise in the
next one: take them as a first impression. Without <code>--processes</code> there are ten.</p>
";

fn list_of_facts(facts: &Facts) -> String {
    let fact =
        |(name, what): &(&str, String)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escape(what));
    let facts: String = facts.iter().map(fact).collect();
    format!("<dl>\n{facts}</dl>\n")
}

/// How many benches came out how; and those in which heist is slower, by name.
fn verdicts(groups: &[Vec<Bench<'_>>]) -> String {
    let all = || groups.iter().flatten();
    let count = |verdict| all().filter(|bench| bench.verdict() == verdict).count();
    let alone = match count(Verdict::Alone) {
        0 => String::new(),
        n => format!(" {n} have no peer."),
    };
    let mut html = format!(
        "<p class=\"verdict\">{} benches against the best peer of each: heist is faster in <b>{}</b>, within \
         the noise in <b>{}</b>, slower in <b>{}</b>.{alone}</p>\n",
        all().count(),
        count(Verdict::Faster),
        count(Verdict::Same),
        count(Verdict::Slower),
    );
    let mut slower: Vec<_> = all().filter(|bench| bench.verdict() == Verdict::Slower).collect();
    if slower.is_empty() {
        return html;
    }
    let ratio = |bench: &Bench<'_>| bench.best_peer().map_or(1.0, |peer| peer.ratio);
    slower.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    html += "<h2>Where heist is slower</h2>\n<ul class=\"worst\">\n";
    for bench in slower {
        html += &format!(
            "<li><a href=\"#{}\">{}</a>: {}, <b class=\"slower\">{}</b> of {}</li>\n",
            anchor(bench.group()),
            escape(bench.group()),
            escape(bench.name()),
            plain(ratio(bench)),
            escape(bench.best_peer().map_or("", |peer| &peer.who)),
        );
    }
    html + "</ul>\n"
}

fn contents(groups: &[Vec<Bench<'_>>]) -> String {
    let link = |group: &Vec<Bench<'_>>| {
        let name = group[0].group();
        format!("<a href=\"#{}\">{}</a>\n", anchor(name), escape(name))
    };
    let links: String = groups.iter().map(link).collect();
    format!("<nav aria-label=\"groups\">\n{links}</nav>\n")
}

/// A group: what it is, its ratios, its costs against sizes, and its figures.
fn section(benches: &[Bench<'_>]) -> String {
    let name = benches[0].group();
    let about = GROUPS.iter().find(|group| group.name == name).map_or("", |group| group.about);
    let mut html = format!("<section id=\"{}\">\n<h2>{}</h2>\n", anchor(name), escape(name));
    if !about.is_empty() {
        html += &format!("<p>{}</p>\n", escape(about));
    }
    html += &ratios::plot(benches);
    let series = series(benches);
    if !series.is_empty() {
        let plots: String = series.iter().map(sizes::plot).collect();
        html += &format!("<h3>Cost against size</h3>\n<div class=\"plots\">\n{plots}</div>\n");
    }
    html + &table::table(benches) + "</section>\n"
}

#[cfg(test)]
mod tests;
