//! What can be searched for in a string.

/// Matches some characters and not others.
///
/// Not to be named outside of the crate, and so not to be implemented there.
pub trait Pattern: Sized + Sync + Send {
    /// Whether it matches `character`.
    fn matches(&self, character: char) -> bool;

    /// The position of the first match.
    fn find(&self, text: &str) -> Option<usize> {
        text.find(|character| self.matches(character))
    }

    /// The position of the last match.
    fn find_back(&self, text: &str) -> Option<usize> {
        text.rfind(|character| self.matches(character))
    }
}

/// A single character has a quicker search.
impl Pattern for char {
    fn matches(&self, character: char) -> bool {
        *self == character
    }

    fn find(&self, text: &str) -> Option<usize> {
        text.find(*self)
    }

    fn find_back(&self, text: &str) -> Option<usize> {
        text.rfind(*self)
    }
}

impl Pattern for &[char] {
    fn matches(&self, character: char) -> bool {
        self.contains(&character)
    }
}

impl<const N: usize> Pattern for [char; N] {
    fn matches(&self, character: char) -> bool {
        self.contains(&character)
    }
}

impl<const N: usize> Pattern for &[char; N] {
    fn matches(&self, character: char) -> bool {
        self.contains(&character)
    }
}

impl<F: Fn(char) -> bool + Sync + Send> Pattern for F {
    fn matches(&self, character: char) -> bool {
        self(character)
    }
}
