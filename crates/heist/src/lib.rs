//! One work-stealing runtime: fork-join parallelism and, on the same workers, async tasks.
//!
//! The fork-join side is everything of [`heist_core`], and on top of it [parallel
//! iterators](iter) and [sorts](slice::ParallelSliceMut). The names are Rayon's, so that a program can change
//! over with one line in its manifest: `rayon = { package = "heist", version = "0.1" }`. In the repository
//! `docs/rayon-api.md` lists them, and `docs/from-rayon.md` tells what differs.
//!
//! Beyond Rayon there are sums of floats with [the same bits](iter::IndexedParallelIterator::deterministic)
//! for any number of workers, iterations that [can be stopped](iter::ParallelIterator::cancel_on), and on
//! slices [prefix sums](slice::ParallelSliceMut::par_scan_inclusive) and
//! [partitions](slice::ParallelSliceMut::par_partition).
//!
//! What the workers do can be [recorded](trace), event by event, and with it how parallel a computation is.
//!
//! Tasks, timers, sockets, files, processes and signals, of the crate `heist_rt`, come with the feature `rt`,
//! which is on by default: `heist::task`, `heist::time`, `heist::net`, `heist::fs`, `heist::process`,
//! `heist::signal`, `heist::io`, `heist::runtime`, `heist::block_on` and `heist::offload`. The feature
//! `tokio-io` adds Tokio's I/O traits to the streams and files, the feature `hyper` what hyper asks of a
//! runtime.
//!
//! ```
//! let (left, right) = heist::join(|| 1 + 1, || 2 + 2);
//! assert_eq!((left, right), (2, 4));
//! ```
//!
//! ```
//! use heist::prelude::*;
//!
//! let mut words = vec!["thief", "loot", "vault", "van"];
//! words.par_sort_unstable_by_key(|word| word.len());
//! let letters: usize = words.par_iter().map(|word| word.len()).sum();
//! assert_eq!((words[0], letters), ("van", 17));
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
#[cfg(feature = "hyper")]
#[doc(inline)]
pub use heist_rt::hyper;
#[cfg(feature = "rt")]
#[doc(inline)]
pub use heist_rt::{block_on, fs, io, net, runtime, task, task::offload, time};
#[cfg(all(feature = "rt", unix))]
#[doc(inline)]
pub use heist_rt::{process, signal};
