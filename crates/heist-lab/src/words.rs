//! Numbers as people read them, and how many cores there are to speak of.

use std::thread::available_parallelism;

/// How many cores this machine has for us.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// "1 task", "2 tasks", "2 halves".
pub fn plural(number: usize, what: &str) -> String {
    let text = grouped(number as u64);
    match (number, what.strip_suffix('f')) {
        (1, _) => format!("{text} {what}"),
        (_, Some(stem)) => format!("{text} {stem}ves"),
        (_, None) => format!("{text} {what}s"),
    }
}

/// A number with a comma after every third digit.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        let table = [
            (0, "task", "0 tasks"),
            (1, "half", "1 half"),
            (2, "half", "2 halves"),
            (1000, "core", "1,000 cores"),
        ];
        for (number, what, text) in table {
            assert_eq!(plural(number, what), text);
        }
    }

    #[test]
    fn numbers_have_commas() {
        let table = [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")];
        for (number, text) in table {
            assert_eq!(grouped(number), text);
        }
    }
}
