//! Parallel iterators over parts of strings.
//!
//! [`ParallelString`] adds methods to `str`, and to what derefs to it. The types here are what those methods
//! return; they rarely need to be named.

mod chars;
mod pattern;
mod split;

use pattern::Pattern;
pub use {
    chars::{Bytes, CharIndices, Chars, EncodeUtf16, MatchIndices, Matches},
    split::{Lines, Split, SplitAsciiWhitespace, SplitInclusive, SplitTerminator, SplitWhitespace},
};

/// Parallel iterators over a string.
///
/// A *pattern* is a `char`, some of them as `[char; N]`, `&[char; N]` or `&[char]`, or a closure
/// `Fn(char) -> bool + Sync + Send`. It always matches one character.
#[allow(private_bounds)]
pub trait ParallelString {
    /// The string itself. The other methods begin here.
    fn as_parallel_string(&self) -> &str;

    /// The characters.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let highest = "hello".par_chars().max();
    /// assert_eq!(highest, Some('o'));
    /// ```
    fn par_chars(&self) -> Chars<'_> {
        Chars::new(self.as_parallel_string())
    }

    /// The characters, with the position in bytes of each.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let found = "grüße".par_char_indices().find_any(|(_, c)| *c == 'ß');
    /// assert_eq!(found, Some((4, 'ß')));
    /// ```
    fn par_char_indices(&self) -> CharIndices<'_> {
        CharIndices::new(self.as_parallel_string())
    }

    /// The bytes.
    ///
    /// An indexed iterator over bytes, which allows for more, is that of `as_bytes()`.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// assert_eq!("hello".par_bytes().max(), Some(b'o'));
    /// ```
    fn par_bytes(&self) -> Bytes<'_> {
        Bytes::new(self.as_parallel_string())
    }

    /// The string encoded as UTF-16.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// assert_eq!("𝄞x".par_encode_utf16().count(), 3);
    /// ```
    fn par_encode_utf16(&self) -> EncodeUtf16<'_> {
        EncodeUtf16::new(self.as_parallel_string())
    }

    /// The parts between matches of a pattern, without these.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let total: u32 = "1, 2, buckle, 3".par_split(',').filter_map(|s| s.trim().parse::<u32>().ok()).sum();
    /// assert_eq!(total, 6);
    /// ```
    fn par_split<P: Pattern>(&self, separator: P) -> Split<'_, P> {
        Split::new(self.as_parallel_string(), separator)
    }

    /// The parts that end with a match of a pattern. The last part may end without one, unless it is empty.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let lines: Vec<_> = "one\ntwo\n".par_split_inclusive('\n').collect();
    /// assert_eq!(lines, ["one\n", "two\n"]);
    /// ```
    fn par_split_inclusive<P: Pattern>(&self, separator: P) -> SplitInclusive<'_, P> {
        SplitInclusive::new(self.as_parallel_string(), separator)
    }

    /// The parts between matches of a pattern, without these; an empty last part does not count.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let parts: Vec<_> = "a;b;;".par_split_terminator(';').collect();
    /// assert_eq!(parts, ["a", "b", ""]);
    /// ```
    fn par_split_terminator<P: Pattern>(&self, terminator: P) -> SplitTerminator<'_, P> {
        SplitTerminator::new(self.as_parallel_string(), terminator)
    }

    /// The lines, without the `\n` or `\r\n` at their end.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let lengths: Vec<_> = "hello\r\nworld!".par_lines().map(|line| line.len()).collect();
    /// assert_eq!(lengths, [5, 6]);
    /// ```
    fn par_lines(&self) -> Lines<'_> {
        Lines::new(self.as_parallel_string())
    }

    /// The words: what is between whitespace.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let longest = "which is the longest word?".par_split_whitespace().max_by_key(|word| word.len());
    /// assert_eq!(longest, Some("longest"));
    /// ```
    fn par_split_whitespace(&self) -> SplitWhitespace<'_> {
        SplitWhitespace::new(self.as_parallel_string())
    }

    /// The words: what is between ASCII whitespace.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// assert_eq!("a b\u{2003}c".par_split_ascii_whitespace().count(), 2);
    /// ```
    fn par_split_ascii_whitespace(&self) -> SplitAsciiWhitespace<'_> {
        SplitAsciiWhitespace::new(self.as_parallel_string())
    }

    /// The matches of a pattern.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let vowels = "hello".par_matches(['a', 'e', 'i', 'o', 'u']).count();
    /// assert_eq!(vowels, 2);
    /// ```
    fn par_matches<P: Pattern>(&self, pattern: P) -> Matches<'_, P> {
        Matches::new(self.as_parallel_string(), pattern)
    }

    /// The matches of a pattern, with the position in bytes of each.
    ///
    /// ```
    /// use heist::prelude::*;
    ///
    /// let digits: Vec<_> = "a1b2".par_match_indices(char::is_numeric).collect();
    /// assert_eq!(digits, [(1, "1"), (3, "2")]);
    /// ```
    fn par_match_indices<P: Pattern>(&self, pattern: P) -> MatchIndices<'_, P> {
        MatchIndices::new(self.as_parallel_string(), pattern)
    }
}

impl ParallelString for str {
    #[inline]
    fn as_parallel_string(&self) -> &str {
        self
    }
}

/// A place between two characters, about the middle of the first `end` bytes; less than `end`, unless that is
/// 0.
fn middle(text: &str, end: usize) -> usize {
    let mut middle = end / 2;
    while !text.is_char_boundary(middle) {
        middle -= 1;
    }
    middle
}
