//! Where and when figures came about.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::words::{cores, plural};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Names and what is to be said of them, for the head of the page.
pub type Facts = Vec<(&'static str, String)>;

/// Of figures that this process has measured, or had measured by others.
pub fn of_this_run(processes: usize) -> Facts {
    vec![
        ("machine", machine()),
        ("system", system()),
        ("date", date(SystemTime::now())),
        ("heist", version()),
        ("command", command()),
        ("processes", processes.to_string()),
    ]
}

/// Of figures from a file, which does not tell where they are from.
pub fn of_file(name: &str, written: Option<SystemTime>) -> Facts {
    let mut facts = vec![("results", format!("read from {name}, which does not say from which machine"))];
    facts.extend(written.map(|written| ("written", date(written))));
    facts.push(("page by", format!("heist {VERSION}")));
    facts
}

/// What it was built as counts for what it has measured.
fn version() -> String {
    let build = if cfg!(debug_assertions) { ", a debug build: its figures mean nothing" } else { "" };
    format!("{VERSION}{build}")
}

fn machine() -> String {
    let cores = plural(cores(), "core");
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    match cpu_model(&information) {
        Some(model) => format!("{cores}, {model}"),
        None => cores,
    }
}

/// What Linux calls the first processor.
fn cpu_model(information: &str) -> Option<&str> {
    let fields = information.lines().filter_map(|line| line.split_once(':'));
    fields
        .map(|(name, value)| (name.trim(), value.trim()))
        .find(|field| field.0 == "model name")
        .map(|field| field.1)
}

fn system() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let words = [std::env::consts::OS, release.trim(), std::env::consts::ARCH];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The command line, with this program called by its name, wherever it is.
fn command() -> String {
    let arguments = std::env::args().skip(1).map(|argument| quoted(&argument));
    ["heist".to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}

fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

fn date(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (year, month, day) = civil(since / 86_400);
    let minutes = since / 60;
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60 % 24, minutes % 60)
}

/// Year, month and day of a day that is counted from the first of 1970.
///
/// Years are counted from March on: then the leap day is the last of its year, and the months before a month
/// have a length that follows a rule.
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    // From the first of March of the year 0.
    let days = days + 719_468;
    let (era, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let day = day - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(58), (1970, 2, 28));
        assert_eq!(civil(59), (1970, 3, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(20_818), (2026, 12, 31));
        assert_eq!(civil(47_540), (2100, 2, 28));
        assert_eq!(civil(47_541), (2100, 3, 1));
    }

    #[test]
    fn each_day_is_the_one_after_the_day_before() {
        for day in 1..100_000 {
            let (before, after) = (civil(day - 1), civil(day));
            let is_next = after == (before.0, before.1, before.2 + 1);
            let is_first = after.2 == 1 && before.2 >= 28 && after > before;
            assert!(is_next || is_first, "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_date_has_hours_and_minutes() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        assert_eq!(date(time), "2001-09-09 01:46 UTC");
    }

    #[test]
    fn the_processor_is_named_where_linux_names_it() {
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: A: 4 GHz \nmodel name\t: B\n"), Some("A: 4 GHz"));
        assert_eq!(cpu_model("processor : 0\n"), None);
    }

    #[test]
    fn an_argument_with_spaces_is_quoted() {
        assert_eq!(quoted("--only=fib"), "--only=fib");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
