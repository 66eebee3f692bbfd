//! A clock that is cheap to look at and changes seldom.

/// A number that grows every few milliseconds.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[inline]
pub fn coarse() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is ours to write to. The clock is there since Linux 2.6.32; if the call fails the number
    // does not grow, which is allowed.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// A number that grows every few milliseconds.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn coarse() -> u64 {
    use std::{sync::OnceLock, time::Instant};

    static START: OnceLock<Instant> = OnceLock::new();
    (START.get_or_init(Instant::now).elapsed().as_millis() / 4) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn it_grows_with_time() {
        let (before, begin) = (coarse(), Instant::now());
        while coarse() == before {
            assert!(begin.elapsed() < Duration::from_secs(10), "the clock stands still");
        }
        assert!(coarse() > before);
    }
}
