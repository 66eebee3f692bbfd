//! Characters and what is computed from each by itself: all of these can be cut between any two characters.

use super::{middle, pattern::Pattern};
use crate::iter::plumbing::{Folder, UnindexedProducer};

/// A producer of what `read` makes of a text; `read` is also told where the text begins.
struct Text<'ch, R> {
    text: &'ch str,
    begin: usize,
    read: R,
}

impl<'ch, R, I> Text<'ch, R>
where
    R: Fn(&'ch str, usize) -> I,
    I: Iterator,
{
    fn new(text: &'ch str, read: R) -> Self {
        Text { text, begin: 0, read }
    }
}

impl<'ch, R, I> UnindexedProducer for Text<'ch, R>
where
    R: Fn(&'ch str, usize) -> I + Copy + Send,
    I: Iterator,
{
    type Item = I::Item;

    fn split(self) -> (Self, Option<Self>) {
        let Text { text, begin, read } = self;
        let middle = middle(text, text.len());
        if middle == 0 {
            return (self, None);
        }
        let (left, right) = text.split_at(middle);
        (Text { text: left, begin, read }, Some(Text { text: right, begin: begin + middle, read }))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<I::Item>,
    {
        folder.consume_iter((self.read)(self.text, self.begin))
    }
}

macro_rules! characters {
    ($(#[$doc:meta])* $name:ident => $item:ty, $read:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<'ch> {
            text: &'ch str,
        }

        impl<'ch> $name<'ch> {
            pub(super) fn new(text: &'ch str) -> Self {
                $name { text }
            }

            fn producer(&mut self) -> impl UnindexedProducer<Item = $item> + use<'ch> {
                Text::new(self.text, $read)
            }
        }

        unindexed_source! { impl['ch] $name<'ch> => $item }
    };
}

characters! {
    /// A parallel iterator over characters; made by [`par_chars`](super::ParallelString::par_chars).
    Chars => char, |text: &'ch str, _| text.chars()
}
characters! {
    /// A parallel iterator over characters with their positions; made by
    /// [`par_char_indices`](super::ParallelString::par_char_indices).
    CharIndices => (usize, char),
    |text: &'ch str, begin| text.char_indices().map(move |(i, c)| (begin + i, c))
}
characters! {
    /// A parallel iterator over bytes; made by [`par_bytes`](super::ParallelString::par_bytes).
    Bytes => u8, |text: &'ch str, _| text.bytes()
}
characters! {
    /// A parallel iterator over UTF-16 code units; made by
    /// [`par_encode_utf16`](super::ParallelString::par_encode_utf16).
    EncodeUtf16 => u16, |text: &'ch str, _| text.encode_utf16()
}

macro_rules! matches {
    ($(#[$doc:meta])* $name:ident => $item:ty, $one:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<'ch, P: Pattern> {
            text: &'ch str,
            pattern: P,
        }

        impl<'ch, P: Pattern> $name<'ch, P> {
            pub(super) fn new(text: &'ch str, pattern: P) -> Self {
                $name { text, pattern }
            }

            fn producer(&mut self) -> impl UnindexedProducer<Item = $item> {
                let pattern = &self.pattern;
                Text::new(self.text, move |text: &'ch str, begin| {
                    pattern.match_indices(text).map(move |(i, found)| $one(begin + i, found))
                })
            }
        }

        unindexed_source! { impl['ch, P: Pattern] $name<'ch, P> => $item }
    };
}

matches! {
    /// A parallel iterator over matches; made by [`par_matches`](super::ParallelString::par_matches).
    Matches => &'ch str, |_, found| found
}
matches! {
    /// A parallel iterator over matches with their positions; made by
    /// [`par_match_indices`](super::ParallelString::par_match_indices).
    MatchIndices => (usize, &'ch str), |at, found| (at, found)
}
