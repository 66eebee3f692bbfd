//! One work-stealing runtime: fork-join parallelism and, on the same workers, async tasks.
//!
//! This version has the fork-join side: everything of [`heist_core`].
//!
//! ```
//! let (left, right) = heist::join(|| 1 + 1, || 2 + 2);
//! assert_eq!((left, right), (2, 4));
//! ```

#![deny(missing_docs)]

#[macro_use]
mod delegate;

pub mod array;
mod breaks;
pub mod collections;
pub mod iter;
mod math;
pub mod option;
pub mod prelude;
pub mod range;
pub mod range_inclusive;
pub mod result;
pub mod slice;
pub mod str;
pub mod string;
pub mod vec;

#[doc(inline)]
pub use heist_core::*;
