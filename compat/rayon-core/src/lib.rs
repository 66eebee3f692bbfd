//! rayon-core 1.13's interface, by heist-core.

pub use heist_core::*;
