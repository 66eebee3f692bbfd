//! What must not compile. Each block fails for the reason it names, and only for that.
//!
//! A filtered iterator does not know its indices:
//!
//! ```compile_fail,E0277
//! use heist::prelude::*;
//!
//! let numbers = [1, 2, 3];
//! let odd = numbers.par_iter().filter(|&n| n % 2 == 1);
//! let pairs = numbers.par_iter().zip(odd);
//! ```
//!
//! so it cannot be collected into places known beforehand:
//!
//! ```compile_fail,E0599
//! use heist::prelude::*;
//!
//! let mut target = vec![];
//! [1, 2, 3].par_iter().filter_map(|&n| Some(n)).collect_into_vec(&mut target);
//! ```
//!
//! Items go to other threads:
//!
//! ```compile_fail,E0277
//! use heist::prelude::*;
//! use std::rc::Rc;
//!
//! let counted = heist::iter::repeat_n(1, 10).map(Rc::new);
//! ```
//!
//! and so do references to what closures borrow:
//!
//! ```compile_fail,E0277
//! use heist::prelude::*;
//! use std::cell::Cell;
//!
//! let sum = Cell::new(0);
//! heist::iter::repeat_n(1, 10).for_each(|n| sum.set(sum.get() + n));
//! ```
//!
//! Closures run at the same time, so none may change what it borrows:
//!
//! ```compile_fail,E0594
//! use heist::prelude::*;
//!
//! let mut sum = 0;
//! heist::iter::repeat_n(1, 10).for_each(|n| sum += n);
//! ```
//!
//! An adaptor alone does nothing:
//!
//! ```compile_fail
//! #![deny(unused_must_use)]
//! use heist::prelude::*;
//!
//! heist::iter::repeat_n(1, 10).map(|n| n + 1);
//! ```
