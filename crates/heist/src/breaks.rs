//! Parts of a slice or a string between breaks: at separators, or between unequal neighbours.
//!
//! One producer, [`Parts`], does all of `split`, `split_inclusive`, `split_terminator` and `chunk_by`. What a
//! break is, and whether it belongs to a part, is up to a [`Breaks`]. To share the work, the producer looks
//! for a break near the middle, forwards and then backwards, and cuts there. It remembers where it has
//! looked, so that it asks about no place twice:
//!
//! ```text
//! . . . . . . . | x x x x x x x
//!               ^searched: no break here or later
//! ```

use crate::iter::plumbing::{Folder, UnindexedProducer};

/// Something that has a length and can be cut.
pub(crate) trait Divisible: Send + Sized {
    /// How long it is.
    fn length(&self) -> usize;

    /// A place to cut, about the middle of the first `end`; less than `end`, unless that is 0.
    fn middle(&self, end: usize) -> usize;
}

/// Tells where parts end. All places are less than the length.
pub(crate) trait Breaks<D>: Copy + Send {
    /// Whether the part after the last break counts even when it is empty.
    const EMPTY_PARTS: bool;

    /// The first break in `start..end`.
    fn find(&self, data: &D, start: usize, end: usize) -> Option<usize>;

    /// The last break before `end`.
    fn find_back(&self, data: &D, end: usize) -> Option<usize>;

    /// The part before the break at `place`, and all after it.
    fn cut(&self, data: D, place: usize) -> (D, D);

    /// Feeds the parts to `folder`. No break is at `searched` or later. The last part counts if it is not
    /// empty, or if `empty_last`.
    fn fold_parts<F>(&self, mut data: D, searched: usize, empty_last: bool, mut folder: F) -> F
    where
        D: Divisible,
        F: Folder<D>,
    {
        // Counted from the end, which stays where it is.
        let known = data.length() - searched;
        while !folder.full() {
            let Some(place) = self.find(&data, 0, data.length() - known) else {
                if data.length() > 0 || empty_last {
                    folder = folder.consume(data);
                }
                break;
            };
            let (part, rest) = self.cut(data, place);
            folder = folder.consume(part);
            data = rest;
        }
        folder
    }
}

/// A producer of the parts.
pub(crate) struct Parts<D, B> {
    data: D,
    breaks: B,
    /// No break is at this place or later.
    searched: usize,
    /// Whether the last part counts even when it is empty.
    empty_last: bool,
}

impl<D: Divisible, B: Breaks<D>> Parts<D, B> {
    /// All parts.
    pub(crate) fn new(data: D, breaks: B) -> Self {
        let searched = data.length();
        Parts { data, breaks, searched, empty_last: B::EMPTY_PARTS }
    }

    /// All parts, without an empty one at the end.
    pub(crate) fn without_empty_last(data: D, breaks: B) -> Self {
        Parts { empty_last: false, ..Parts::new(data, breaks) }
    }
}

impl<D: Divisible, B: Breaks<D>> UnindexedProducer for Parts<D, B> {
    type Item = D;

    fn split(mut self) -> (Self, Option<Self>) {
        let Parts { breaks, searched, empty_last, .. } = self;
        let middle = self.data.middle(searched);
        let later = breaks.find(&self.data, middle, searched);
        let Some(place) = later.or_else(|| breaks.find_back(&self.data, middle)) else {
            self.searched = 0;
            return (self, None);
        };
        let length = self.data.length();
        let (left, right) = breaks.cut(self.data, place);
        let (left_searched, right_searched) = match later {
            Some(_) => (middle, right.length() - (length - searched)),
            None => (place, 0),
        };
        let left = Parts { data: left, breaks, searched: left_searched, empty_last: B::EMPTY_PARTS };
        let right = Parts { data: right, breaks, searched: right_searched, empty_last };
        (left, Some(right))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<D>,
    {
        self.breaks.fold_parts(self.data, self.searched, self.empty_last, folder)
    }
}
