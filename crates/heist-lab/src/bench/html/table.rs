//! The figures behind a plot.

use super::markup::escape;
use super::model::{Bench, Verdict, others};
use crate::bench::report::{Record, figure, plain};

pub fn table(benches: &[Bench<'_>]) -> String {
    let others = others(benches);
    let mut html = format!(
        "<details>\n<summary>All figures of {}</summary>\n<div class=\"scroll\">\n<table>\n\
         <thead>\n<tr><th scope=\"col\">bench</th><th scope=\"col\">heist</th>",
        escape(benches[0].group()),
    );
    for other in &others {
        html += &format!("<th scope=\"col\">{}</th><th scope=\"col\">ratio</th>", escape(other));
    }
    html += "<th scope=\"col\">noise band</th></tr>\n</thead>\n<tbody>\n";
    for bench in benches {
        html += &row(bench, &others);
    }
    html + "</tbody>\n</table>\n</div>\n</details>\n"
}

fn row(bench: &Bench<'_>, others: &[&str]) -> String {
    let class = if bench.verdict() == Verdict::Slower { " class=\"slower\"" } else { "" };
    let mut html = format!(
        "<tr{class}><th scope=\"row\">{}</th><td>{}</td>",
        escape(bench.name()),
        escape(&figure(bench.heist())),
    );
    for other in others {
        html += &match bench.of(other) {
            Some(record) => format!("<td>{}</td><td>{}</td>", escape(&figure(record)), ratio(record)),
            None => "<td></td><td></td>".to_owned(),
        };
    }
    html + &format!("<td>{} to {}</td></tr>\n", plain(bench.band.lowest), plain(bench.band.highest))
}

fn ratio(record: &Record) -> String {
    let spread = record.spread.map_or(String::new(), |spread| {
        format!(" <small>({} to {})</small>", plain(spread.lowest), plain(spread.highest))
    });
    format!("<b>{}</b>{spread}", plain(record.ratio))
}
