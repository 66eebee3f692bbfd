//! What can be searched for in a string.

/// Matches some characters and not others.
///
/// Not to be named outside of the crate, and so not to be implemented there. It stands in for the standard
/// library's trait of that name, which others cannot use as a bound yet; the methods are those of `str`.
pub trait Pattern: Sized + Sync + Send {
    /// The position of the first match.
    fn find(&self, text: &str) -> Option<usize>;

    /// The position of the last match.
    fn rfind(&self, text: &str) -> Option<usize>;

    /// The parts between matches.
    fn split<'ch>(&self, text: &'ch str) -> impl Iterator<Item = &'ch str>;

    /// The same, without the last part if it is empty.
    fn split_terminator<'ch>(&self, text: &'ch str) -> impl Iterator<Item = &'ch str>;

    /// The parts that end with a match.
    fn split_inclusive<'ch>(&self, text: &'ch str) -> impl Iterator<Item = &'ch str>;

    /// The matches with their positions.
    fn match_indices<'ch>(&self, text: &'ch str) -> impl Iterator<Item = (usize, &'ch str)>;
}

/// Implements the methods for a type, of which `$as_std` makes a pattern of the standard library.
macro_rules! pattern {
    (impl[$($generics:tt)*] $name:ty, |$pattern:ident| $as_std:expr) => {
        impl<$($generics)*> Pattern for $name {
            fn find(&self, text: &str) -> Option<usize> {
                let $pattern = self;
                text.find($as_std)
            }

            fn rfind(&self, text: &str) -> Option<usize> {
                let $pattern = self;
                text.rfind($as_std)
            }

            fn split<'ch>(&self, text: &'ch str) -> impl Iterator<Item = &'ch str> {
                let $pattern = self;
                text.split($as_std)
            }

            fn split_terminator<'ch>(&self, text: &'ch str) -> impl Iterator<Item = &'ch str> {
                let $pattern = self;
                text.split_terminator($as_std)
            }

            fn split_inclusive<'ch>(&self, text: &'ch str) -> impl Iterator<Item = &'ch str> {
                let $pattern = self;
                text.split_inclusive($as_std)
            }

            fn match_indices<'ch>(&self, text: &'ch str) -> impl Iterator<Item = (usize, &'ch str)> {
                let $pattern = self;
                text.match_indices($as_std)
            }
        }
    };
}

pattern! { impl[] char, |pattern| *pattern }
pattern! { impl[] &[char], |pattern| *pattern }
pattern! { impl[const N: usize] [char; N], |pattern| pattern }
pattern! { impl[const N: usize] &[char; N], |pattern| *pattern }
pattern! { impl[F: Fn(char) -> bool + Sync + Send] F, |pattern| pattern }
