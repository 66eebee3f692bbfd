//! One work-stealing runtime: fork-join parallelism and, on the same workers, async tasks.
//!
//! The fork-join side is everything of [`heist_core`]. Tasks, of the crate `heist_rt`, come with the feature
//! `rt`, which is on by default: `heist::task`, `heist::runtime` and `heist::block_on`.
//!
//! ```
//! let (left, right) = heist::join(|| 1 + 1, || 2 + 2);
//! assert_eq!((left, right), (2, 4));
//! ```

#![deny(missing_docs)]

#[doc(inline)]
pub use heist_core::*;
#[cfg(feature = "rt")]
#[doc(inline)]
pub use heist_rt::{block_on, runtime, task};
