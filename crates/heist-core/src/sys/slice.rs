//! How soon a thread that wakes up gets a core that others compute on.
//!
//! Linux hands out time in slices of some milliseconds, and lets a thread that wakes up wait until the one
//! that runs has used up its slice; unless the one that wakes up asks for shorter slices than the other has.
//! Then it runs at once, within its share of the time. Kernels before 6.12 take no notice of that.

#[cfg(target_os = "linux")]
pub(crate) use linux::Short;

/// Short slices for this thread, until dropped.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) struct Short;

#[cfg(not(target_os = "linux"))]
impl Short {
    pub(crate) fn ask() -> Self {
        Short
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::marker::PhantomData;

    /// The shortest slices that there are, in nanoseconds.
    const SHORTEST: u64 = 100_000;

    /// From linux/sched.h: what this thread starts does not have its slices. It cannot be taken back without
    /// privileges, and changes nothing else for a thread that is not privileged.
    const RESET_ON_FORK: u64 = 1;

    /// From linux/sched/types.h, as it was at first; libc does not name it on every target.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        /// The length of a slice, of a thread without a deadline.
        runtime: u64,
        deadline: u64,
        period: u64,
    }

    impl Attributes {
        /// Those of this thread.
        fn get() -> Option<Self> {
            let mut attributes = Attributes::default();
            let size = size_of::<Attributes>() as u32;
            // SAFETY: it is given so many bytes that are ours to write to.
            let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
            (result == 0).then_some(attributes)
        }

        fn set(&self) {
            // SAFETY: it reads as many bytes as `size` says, which are there. Should the system refuse,
            // everything stays as it was.
            unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *self, 0) };
        }
    }

    /// Short slices for this thread, until dropped.
    #[derive(Debug)]
    pub(crate) struct Short {
        before: Option<Attributes>,
        /// It is about the thread that made it.
        not_send: PhantomData<*mut ()>,
    }

    impl Short {
        /// Asks for them, unless the thread has a policy of its own, or is privileged.
        pub(crate) fn ask() -> Self {
            let is_usual = |attributes: &Attributes| {
                attributes.policy == libc::SCHED_OTHER.cast_unsigned() && attributes.nice >= 0
            };
            let before = Attributes::get()
                .filter(is_usual)
                .map(|before| Attributes { flags: before.flags | RESET_ON_FORK, ..before });
            if let Some(before) = before {
                Attributes { runtime: SHORTEST, ..before }.set();
            }
            Short { before, not_send: PhantomData }
        }
    }

    impl Drop for Short {
        fn drop(&mut self) {
            if let Some(before) = self.before {
                before.set();
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn slices_are_short_for_a_while_and_nothing_else_changes() {
            let Some(before) = Attributes::get() else { return };
            let short = Short::ask();
            let meanwhile = Attributes::get().unwrap();
            // The second is what an older kernel says, or one where the thread has another policy.
            assert!([SHORTEST, before.runtime].contains(&meanwhile.runtime));
            let apart_from_flags = |attributes| Attributes { flags: 0, ..attributes };
            let others = Attributes { runtime: before.runtime, ..meanwhile };
            assert_eq!(apart_from_flags(others), apart_from_flags(before));
            let inherited = std::thread::spawn(|| Attributes::get().unwrap().runtime).join().unwrap();
            assert_eq!(inherited, before.runtime);
            drop(short);
            assert_eq!(Attributes::get().map(apart_from_flags), Some(apart_from_flags(before)));
        }
    }
}
