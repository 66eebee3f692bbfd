//! Queues for schedulers: every pushed element is taken exactly once.
//!
//! | queue | who pushes | who takes | gets the |
//! |---|---|---|---|
//! | [`chase_lev`] | its owner | the owner at the same end, thieves at the other | newest; thieves oldest |
//! | [`ring`] | its owner | the owner; one thief at a time takes half | oldest |
//! | [`injector`] | anybody | anybody, one or a batch | oldest |
//!
//! They hold one word per element (see [`Element`]): slots are plain atomics, so a thief may read a slot that
//! its owner overwrites, find out from a failed compare-exchange, and have read nothing undefined. There are
//! no epochs and no hazard pointers behind them, and ThreadSanitizer has nothing to say about them.
//!
//! A worker that owns a deque, can rob others and falls back to a common queue looks for work like this:
//!
//! ```
//! use heist_core::deque::{Steal, chase_lev, injector::Injector};
//!
//! type Task = Box<u32>;
//!
//! fn find(
//!     own: &chase_lev::Owner<Task>,
//!     all: &[chase_lev::Stealer<Task>],
//!     common: &Injector<Task>,
//! ) -> Option<Task> {
//!     own.pop().or_else(|| loop {
//!         let mut again = false;
//!         for steal in all.iter().map(|victim| victim.steal()).chain([common.steal()]) {
//!             match steal {
//!                 Steal::Success(task) => return Some(task),
//!                 Steal::Retry => again = true,
//!                 Steal::Empty => {}
//!             }
//!         }
//!         if !again {
//!             return None;
//!         }
//!     })
//! }
//!
//! let (own, stealer) = chase_lev::new();
//! let common = Injector::new();
//! own.push(Box::new(1));
//! own.push(Box::new(2));
//! common.push(Box::new(3));
//! assert_eq!(stealer.steal(), Steal::Success(Box::new(1)), "thieves take the oldest");
//! assert_eq!(find(&own, &[stealer.clone()], &common), Some(Box::new(2)));
//! assert_eq!(find(&own, &[stealer.clone()], &common), Some(Box::new(3)));
//! assert_eq!(find(&own, &[stealer], &common), None);
//! ```

pub mod chase_lev;
pub mod injector;
pub mod ring;

#[cfg(all(test, heist_loom))]
mod model;
#[cfg(all(test, not(heist_loom)))]
mod tests;

use crate::sync::{spin_loop, yield_now};
use std::{num::NonZeroUsize, ptr::NonNull};

/// What a thief gets.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steal<T> {
    /// There was nothing.
    Empty,
    /// This element is now the thief's.
    Success(T),
    /// Somebody else was quicker or is in the middle of something: there may be elements, ask again.
    Retry,
}

impl<T> Steal<T> {
    /// The element, if the steal succeeded.
    pub fn success(self) -> Option<T> {
        match self {
            Steal::Success(element) => Some(element),
            Steal::Empty | Steal::Retry => None,
        }
    }
}

/// Asks until the answer is not [`Steal::Retry`]: somebody else is at it, and about to be done.
pub(crate) fn insist<T>(mut steal: impl FnMut() -> Steal<T>) -> Option<T> {
    let mut tries = 0_u32;
    loop {
        match steal() {
            Steal::Success(element) => return Some(element),
            Steal::Empty => return None,
            Steal::Retry => {
                tries += 1;
                // If whoever is at it lost its core, let it have ours.
                if tries.is_multiple_of(64) { yield_now() } else { spin_loop() }
            }
        }
    }
}

/// A value that fits into one pointer-sized word that is not null.
///
/// # Safety
/// `from_word(into_word(x))` gives back `x`, on any thread if the type is [`Send`]; `into_word` alone neither
/// drops nor frees anything. Neither panics.
pub unsafe trait Element: Sized {
    /// Gives up the value for a word that stands for it.
    fn into_word(self) -> NonNull<()>;

    /// The value that `word` stands for.
    ///
    /// # Safety
    /// `word` came from [`into_word`](Element::into_word) of this type, and is turned back only once.
    unsafe fn from_word(word: NonNull<()>) -> Self;
}

// SAFETY: the pointer is the box.
unsafe impl<T> Element for Box<T> {
    fn into_word(self) -> NonNull<()> {
        NonNull::from(Box::leak(self)).cast()
    }

    unsafe fn from_word(word: NonNull<()>) -> Self {
        // SAFETY: leaked from a box of this type, and only once turned back.
        unsafe { Box::from_raw(word.cast().as_ptr()) }
    }
}

// SAFETY: the pointer carries the reference count.
unsafe impl<T> Element for std::sync::Arc<T> {
    fn into_word(self) -> NonNull<()> {
        // SAFETY: an Arc's pointer is not null.
        unsafe { NonNull::new_unchecked(std::sync::Arc::into_raw(self).cast_mut().cast()) }
    }

    unsafe fn from_word(word: NonNull<()>) -> Self {
        // SAFETY: as above.
        unsafe { std::sync::Arc::from_raw(word.cast().as_ptr()) }
    }
}

// SAFETY: a copy of the pointer.
unsafe impl<T> Element for NonNull<T> {
    fn into_word(self) -> NonNull<()> {
        self.cast()
    }

    unsafe fn from_word(word: NonNull<()>) -> Self {
        word.cast()
    }
}

// SAFETY: a copy of the pointer.
unsafe impl<T> Element for &'static T {
    fn into_word(self) -> NonNull<()> {
        NonNull::from(self).cast()
    }

    unsafe fn from_word(word: NonNull<()>) -> Self {
        // SAFETY: it was a `&'static T`.
        unsafe { word.cast().as_ref() }
    }
}

// SAFETY: the number is the address, and it is not zero.
unsafe impl Element for NonZeroUsize {
    fn into_word(self) -> NonNull<()> {
        NonNull::new(std::ptr::without_provenance_mut(self.get())).expect("not zero")
    }

    unsafe fn from_word(word: NonNull<()>) -> Self {
        word.addr()
    }
}
