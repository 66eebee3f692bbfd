//! The page as a whole: what is on it, that it is well-formed, and that it stays as it is.

use super::*;
use crate::bench::measure::AGAIN;
use crate::bench::report::Spread;

pub fn record(group: &str, bench: &str, who: &str, median_ns: f64, ratio: f64) -> Record {
    let [group, bench, who] = [group, bench, who].map(str::to_owned);
    Record { group, bench, who, median_ns, ratio, spread: None, noise: None }
}

/// The peer's second appearance; only its ratio counts.
pub fn again(group: &str, bench: &str, who: &str, ratio: f64) -> Record {
    record(group, bench, &format!("{who}{AGAIN}"), 1.0, ratio)
}

/// A bench with one peer and plain code, in one process.
fn row(group: &str, bench: &str, [heist, rayon, plain]: [f64; 3]) -> Vec<Record> {
    vec![
        record(group, bench, "heist", heist, 1.0),
        record(group, bench, "rayon", rayon, heist / rayon),
        record(group, bench, "sequential", plain, heist / plain),
        again(group, bench, "rayon", heist / rayon * 1.04),
    ]
}

/// A group with sizes, from one process, and one with spreads, from several; with names that need escaping.
fn results() -> Vec<Record> {
    let mut records = [
        row("sizes", "sum of 10", [4.0, 108.0, 3.0]),
        row("sizes", "sum of 100", [12.0, 249.0, 10.0]),
        row("sizes", "sum of 1000", [90.0, 173.0, 87.0]),
        row("sizes", "find <late> & \"early\"", [130.0, 100.0, 200.0]),
    ]
    .concat();
    let several = |who: &str, ns: f64, lowest: f64, ratio: f64, highest: f64| Record {
        spread: Some(Spread { lowest, highest }),
        ..record("spreads", "p99 latency", who, ns, ratio)
    };
    records.extend([
        several("heist", 3.0e6, 1.0, 1.0, 1.0),
        several("tokio+rayon", 3.1e6, 0.7, 0.97, 1.3),
        several("tokio alone", 6.0e6, 0.4, 0.5, 0.6),
        Record {
            noise: Some(Spread { lowest: 0.8, highest: 1.1 }),
            ..several("tokio+rayon (again)", 3.0e6, 0.8, 1.0, 1.2)
        },
    ]);
    records.push(record("spreads", "bytes nobody else has", "heist", 96.0, 1.0));
    records
}

fn facts() -> Facts {
    vec![("machine", "2 cores, <a & b>".to_owned()), ("processes", "1".to_owned())]
}

fn parsed(page: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}\n{page}"))
}

fn texts(document: &roxmltree::Document<'_>, tag: &str) -> Vec<String> {
    let text = |node: roxmltree::Node<'_, '_>| -> String {
        node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect()
    };
    document.descendants().filter(|node| node.has_tag_name(tag)).map(text).collect()
}

#[test]
fn every_bench_is_in_a_plot_and_in_a_table() {
    let (records, facts) = (results(), facts());
    let page = page(&facts, &records);
    let document = parsed(&page);
    let (in_plots, in_tables) = (texts(&document, "text"), texts(&document, "th"));
    for bench in groups(&records).iter().flatten() {
        assert!(in_plots.iter().any(|text| text.starts_with(bench.name())), "{}", bench.name());
        assert!(in_tables.iter().any(|text| text == bench.name()), "{}", bench.name());
    }
    for other in ["rayon", "sequential", "tokio+rayon", "tokio alone"] {
        assert!(in_tables.iter().any(|text| text == other), "{other}");
    }
}

#[test]
fn a_page_needs_nothing_from_elsewhere_and_no_script() {
    let page = page(&facts(), &results());
    let document = parsed(&page);
    for node in document.descendants() {
        assert!(!["script", "link", "img"].contains(&node.tag_name().name()), "{node:?}");
        for attribute in node.attributes() {
            assert!(!["src", "onclick"].contains(&attribute.name()), "{attribute:?}");
            assert!(attribute.name() != "href" || attribute.value().starts_with('#'), "{attribute:?}");
        }
    }
    assert!(!page.contains("url("));
    assert!(!page.contains("@import"));
}

#[test]
fn every_plot_has_a_title_and_a_description() {
    let page = page(&facts(), &results());
    let document = parsed(&page);
    let ids: Vec<_> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let plots = document.descendants().filter(|node| node.attribute("role") == Some("img"));
    let mut count = 0;
    for plot in plots {
        count += 1;
        for id in plot.attribute("aria-labelledby").unwrap().split(' ') {
            assert_eq!(ids.iter().filter(|known| **known == id).count(), 1, "{id}");
        }
    }
    assert_eq!(count, 3, "two of ratios, one of sizes");
}

#[test]
fn links_lead_to_groups() {
    let page = page(&facts(), &results());
    let document = parsed(&page);
    let ids: Vec<_> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let links: Vec<_> = document.descendants().filter_map(|node| node.attribute("href")).collect();
    assert_eq!(links.len(), 3, "{links:?}");
    assert!(links.iter().all(|link| ids.contains(&&link[1..])), "{links:?} {ids:?}");
}

#[test]
fn where_heist_is_slower_is_said_at_the_top() {
    let page = page(&facts(), &results());
    let top = page.split("</header>").next().unwrap();
    assert!(top.contains("faster in <b>3</b>, within the noise in <b>1</b>, slower in <b>1</b>."), "{top}");
    assert!(top.contains(" 1 have no peer."), "{top}");
    assert!(
        top.contains("find &lt;late&gt; &amp; &quot;early&quot;, <b class=\"slower\">1.30</b> of rayon"),
        "{top}"
    );
}

#[test]
fn facts_are_escaped() {
    assert!(list_of_facts(&facts()).contains("<dd>2 cores, &lt;a &amp; b&gt;</dd>"));
}

/// After a change that is meant: `UPDATE_GOLDEN=1 cargo test -p heist-lab golden`; then look at what differs.
#[test]
fn the_sections_are_the_golden_ones() {
    let records = results();
    let sections: String = groups(&records).iter().map(|group| section(group)).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bench/html/golden.html");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &sections).unwrap();
    }
    let golden = std::fs::read_to_string(path).unwrap();
    for (number, (line, golden)) in sections.lines().zip(golden.lines()).enumerate() {
        assert_eq!(line, golden, "line {} of {path}", number + 1);
    }
    assert_eq!(sections.lines().count(), golden.lines().count(), "lines of {path}");
}
