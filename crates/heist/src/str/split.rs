//! Parts of a string between matches of a pattern.

use super::{middle, pattern::Pattern};
use crate::{
    breaks::{Breaks, Divisible, Parts},
    iter::{
        ParallelIterator,
        plumbing::{Folder, UnindexedConsumer},
    },
};

impl Divisible for &str {
    fn length(&self) -> usize {
        self.len()
    }

    fn middle(&self, end: usize) -> usize {
        middle(self, end)
    }
}

/// Characters that separate: in no part, or at the end of one.
struct Separator<'p, P, const INCLUSIVE: bool>(&'p P);

impl<P, const INCLUSIVE: bool> Clone for Separator<'_, P, INCLUSIVE> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, const INCLUSIVE: bool> Copy for Separator<'_, P, INCLUSIVE> {}

impl<'ch, P: Pattern, const INCLUSIVE: bool> Breaks<&'ch str> for Separator<'_, P, INCLUSIVE> {
    const EMPTY_PARTS: bool = !INCLUSIVE;

    fn find(&self, text: &&'ch str, start: usize, end: usize) -> Option<usize> {
        self.0.find(&text[start..end]).map(|at| start + at)
    }

    fn find_back(&self, text: &&'ch str, end: usize) -> Option<usize> {
        self.0.rfind(&text[..end])
    }

    fn cut(&self, text: &'ch str, place: usize) -> (&'ch str, &'ch str) {
        let width = text[place..].chars().next().map_or(0, char::len_utf8);
        let after = place + width;
        (&text[..if INCLUSIVE { after } else { place }], &text[after..])
    }

    /// To look once more at what was searched is quicker than to begin each search anew.
    fn fold_parts<F>(&self, text: &'ch str, _: usize, empty_last: bool, folder: F) -> F
    where
        F: Folder<&'ch str>,
    {
        if INCLUSIVE {
            folder.consume_iter(self.0.split_inclusive(text))
        } else if empty_last {
            folder.consume_iter(self.0.split(text))
        } else {
            folder.consume_iter(self.0.split_terminator(text))
        }
    }
}

macro_rules! split {
    ($(#[$doc:meta])* $name:ident, $inclusive:literal, $parts:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<'ch, P: Pattern> {
            text: &'ch str,
            separator: P,
        }

        impl<'ch, P: Pattern> $name<'ch, P> {
            pub(super) fn new(text: &'ch str, separator: P) -> Self {
                $name { text, separator }
            }

            fn producer(&mut self) -> Parts<&'ch str, Separator<'_, P, $inclusive>> {
                Parts::$parts(self.text, Separator(&self.separator))
            }
        }

        unindexed_source! { impl['ch, P: Pattern] $name<'ch, P> => &'ch str }
    };
}

split! {
    /// A parallel iterator over the parts between matches; made by
    /// [`par_split`](super::ParallelString::par_split).
    Split, false, new
}
split! {
    /// A parallel iterator over the parts that end with a match; made by
    /// [`par_split_inclusive`](super::ParallelString::par_split_inclusive).
    SplitInclusive, true, new
}
split! {
    /// A parallel iterator over the parts between matches, without an empty last one; made by
    /// [`par_split_terminator`](super::ParallelString::par_split_terminator).
    SplitTerminator, false, without_empty_last
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, |$text:ident| $parts:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<'ch> {
            text: &'ch str,
        }

        impl<'ch> $name<'ch> {
            pub(super) fn new(text: &'ch str) -> Self {
                $name { text }
            }
        }

        impl<'ch> ParallelIterator for $name<'ch> {
            type Item = &'ch str;

            fn drive_unindexed<C>(self, consumer: C) -> C::Result
            where
                C: UnindexedConsumer<&'ch str>,
            {
                let $text = self.text;
                $parts.drive_unindexed(consumer)
            }
        }
    };
}

words! {
    /// A parallel iterator over lines; made by [`par_lines`](super::ParallelString::par_lines).
    Lines, |text| SplitInclusive::new(text, '\n').map(without_line_end)
}
words! {
    /// A parallel iterator over words; made by
    /// [`par_split_whitespace`](super::ParallelString::par_split_whitespace).
    SplitWhitespace, |text| Split::new(text, char::is_whitespace).filter(|word| !word.is_empty())
}
words! {
    /// A parallel iterator over words between ASCII whitespace; made by
    /// [`par_split_ascii_whitespace`](super::ParallelString::par_split_ascii_whitespace).
    SplitAsciiWhitespace,
    |text| Split::new(text, |c: char| c.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// A `\r` belongs to the end only before a `\n`.
fn without_line_end(line: &str) -> &str {
    let Some(line) = line.strip_suffix('\n') else { return line };
    line.strip_suffix('\r').unwrap_or(line)
}
