use super::*;
use crate::trace::made_up::{example, trace};

fn written(trace: &Trace) -> String {
    let mut file = Vec::new();
    trace.write_chrome_json(&mut file).expect("a vector takes everything");
    String::from_utf8(file).expect("it is text")
}

#[test]
fn the_example_is_written_as_it_was() {
    let written = written(&example());
    assert_eq!(written, include_str!("../golden/example.json"), "\n{written}");
}

#[test]
fn it_is_json_in_which_every_event_has_a_place_and_a_time() {
    let json: serde_json::Value = serde_json::from_str(&written(&example())).expect("it is JSON");
    let events = json["traceEvents"].as_array().expect("a list of events");
    assert_eq!(events.iter().filter(|event| event["ph"] == "M").count(), 1 + 2 * 4);
    for event in events.iter().filter(|event| event["ph"] != "M") {
        assert!(event["ts"].is_f64() && event["tid"].is_u64() && event["pid"] == 1, "{event}");
    }
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!(count("B"), count("E"));
    assert_eq!((count("s"), count("f")), (3, 3));
}

#[test]
fn nothing_is_json_too() {
    let json: serde_json::Value = serde_json::from_str(&written(&trace(&[&[]]))).expect("it is JSON");
    assert_eq!(json["traceEvents"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_file_that_takes_no_more_is_an_error() {
    let mut full = [0; 100];
    let error = example().write_chrome_json(&mut full[..]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WriteZero);
}
