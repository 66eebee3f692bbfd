//! Parts of strings are those that the standard library finds.

mod kit;

use heist::prelude::*;
use kit::{Random, in_pool};

/// Texts with characters of one to four bytes, many separators, and odd ends.
fn texts() -> Vec<String> {
    let alphabet = ['a', 'b', ' ', '\n', '\r', 'ß', '\u{2003}', '𝄞', '\t', 'x'];
    let mut random = Random::new(42);
    let mut texts: Vec<String> = [
        "",
        "a",
        " ",
        "\n",
        "\r",
        "\r\n",
        "a\r",
        "a\r\nb\n\r\n",
        "ß",
        "𝄞",
        "a ß 𝄞",
        "  a  ",
        "\n\n",
        "aaa",
        "a\nb",
    ]
    .map(String::from)
    .into();
    for len in [2, 3, 10, 63, 64, 65, 1000, 5000] {
        texts.push((0..len).map(|_| alphabet[random.below(alphabet.len())]).collect());
        texts.push("x".repeat(len));
        texts.push("𝄞".repeat(len));
        texts.push("words of some length ".repeat(len));
    }
    texts
}

fn each(check: impl Fn(&str) + Sync) {
    for text in texts() {
        in_pool(|| check(&text));
    }
}

#[test]
fn characters_are_those_of_std() {
    each(|text| {
        assert!(text.par_chars().collect::<Vec<_>>().into_iter().eq(text.chars()));
        assert!(text.par_char_indices().collect::<Vec<_>>().into_iter().eq(text.char_indices()));
        assert!(text.par_bytes().collect::<Vec<_>>().into_iter().eq(text.bytes()));
        assert!(text.par_encode_utf16().collect::<Vec<_>>().into_iter().eq(text.encode_utf16()));
    });
}

macro_rules! check_pattern {
    ($text:ident, $pattern:expr) => {{
        let text = $text;
        macro_rules! check {
            ($par:ident, $seq:ident) => {
                let parts: Vec<_> = text.$par($pattern).collect();
                assert!(parts.into_iter().eq(text.$seq($pattern)), "{} of {text:?}", stringify!($par));
            };
        }
        check!(par_split, split);
        check!(par_split_inclusive, split_inclusive);
        check!(par_split_terminator, split_terminator);
        check!(par_matches, matches);
        check!(par_match_indices, match_indices);
    }};
}

#[test]
fn splits_and_matches_are_those_of_std_for_every_pattern() {
    each(|text| {
        check_pattern!(text, ' ');
        check_pattern!(text, '𝄞');
        check_pattern!(text, ['a', 'ß']);
        check_pattern!(text, &['x', '\u{2003}']);
        check_pattern!(text, &['\n', 'b'][..]);
        check_pattern!(text, char::is_whitespace);
        check_pattern!(text, |c: char| c.is_alphanumeric());
        check_pattern!(text, |_: char| true);
        check_pattern!(text, |_: char| false);
    });
}

#[test]
fn lines_and_words_are_those_of_std() {
    each(|text| {
        assert!(text.par_lines().collect::<Vec<_>>().into_iter().eq(text.lines()), "{text:?}");
        let words: Vec<_> = text.par_split_whitespace().collect();
        assert!(words.into_iter().eq(text.split_whitespace()));
        let words: Vec<_> = text.par_split_ascii_whitespace().collect();
        assert!(words.into_iter().eq(text.split_ascii_whitespace()));
    });
}

#[test]
fn a_drained_range_of_a_string_is_gone() {
    each(|text| {
        let boundary = |mut i: usize| {
            while !text.is_char_boundary(i) {
                i -= 1;
            }
            i
        };
        let (start, end) = (boundary(text.len() / 3), boundary(text.len() * 2 / 3));
        let (mut a, mut b) = (text.to_string(), text.to_string());
        let drained: String = a.par_drain(start..end).collect();
        assert_eq!(drained, b.drain(start..end).collect::<String>());
        assert_eq!(a, b);
        drop(a.par_drain(..));
        assert!(a.is_empty());
    });
}

#[test]
#[should_panic(expected = "within a character")]
fn a_range_that_begins_within_a_character_is_refused() {
    let _ = "ßx".to_string().par_drain(1..);
}
