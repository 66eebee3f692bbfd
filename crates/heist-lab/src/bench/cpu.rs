//! How much processor time and memory this process uses.

use std::time::Duration;

/// Of all threads together, also those that have ended.
pub fn time_used() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock is one that every process has, and `time` is ours to write to.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "the process has a CPU clock");
    // Neither is negative, and nanoseconds are below 10^9, whatever the platform's types for them.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Bytes that this process has from the allocator, as far as they were asked for by its main thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn bytes_in_use() -> usize {
    // SAFETY: it only reads.
    unsafe { libc::mallinfo2() }.uordblks
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn work_uses_time() {
        let (before, begin) = (time_used(), Instant::now());
        while time_used() - before < Duration::from_millis(1) {
            assert!(begin.elapsed() < Duration::from_secs(10), "the clock stands still");
        }
    }
}
