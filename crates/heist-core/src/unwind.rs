//! The panic policy: what a user's code panics with travels to the one who waits for it; nothing else
//! unwinds.
//!
//! - [`catch`] wraps every call into user code whose frames others depend on.
//! - [`resume`] goes on with a caught panic where the documentation says it surfaces.
//! - [`discard`] drops a value of a user's whose destructor may panic, when another panic is already on its
//!   way, or somebody counts on us to go on.
//! - [`AbortOnUnwind`] guards the stretches where unwinding would free what another thread still uses.

use std::{
    any::Any,
    mem,
    panic::{self, AssertUnwindSafe},
};

/// What a panic carries.
pub type Payload = Box<dyn Any + Send>;

/// Calls `f`; if it panics, returns what it panicked with.
///
/// The closure counts as unwind safe: whoever sees broken state afterwards sees it after the panic resumed.
#[inline]
pub fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Payload> {
    panic::catch_unwind(AssertUnwindSafe(f))
}

/// Goes on panicking, without a second message.
pub(crate) fn resume(payload: Payload) -> ! {
    panic::resume_unwind(payload)
}

/// Drops `value` and keeps a panic of its destructor to itself.
///
/// What the destructor panicked with is leaked: dropping it could panic again.
pub fn discard<T>(value: T) {
    if let Err(payload) = catch(|| drop(value)) {
        mem::forget(payload);
    }
}

/// Drops its value as [`discard`] does.
pub(crate) struct Quiet<T>(mem::ManuallyDrop<T>);

impl<T> Quiet<T> {
    #[inline]
    pub(crate) fn new(value: T) -> Self {
        Quiet(mem::ManuallyDrop::new(value))
    }

    #[inline]
    pub(crate) fn into_inner(self) -> T {
        let mut this = mem::ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so the value is taken once.
        unsafe { mem::ManuallyDrop::take(&mut this.0) }
    }
}

impl<T> Drop for Quiet<T> {
    #[cold]
    fn drop(&mut self) {
        // SAFETY: we are being dropped, so this is the last use.
        discard(unsafe { mem::ManuallyDrop::take(&mut self.0) });
    }
}

/// Ends the process if it is dropped by unwinding. Defuse it with [`mem::forget`].
#[derive(Debug)]
pub(crate) struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        // The panic's own message has been printed by its hook.
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct PanicsInDrop;

    impl Drop for PanicsInDrop {
        fn drop(&mut self) {
            panic::resume_unwind(Box::new(PanicsOnceMore));
        }
    }

    struct PanicsOnceMore;

    impl Drop for PanicsOnceMore {
        fn drop(&mut self) {
            panic::resume_unwind(Box::new("once more"));
        }
    }

    #[test]
    fn discarding_survives_a_destructor_whose_panic_payload_panics_too() {
        discard(PanicsInDrop);
    }

    #[test]
    fn a_quiet_value_panics_neither_alone_nor_while_unwinding() {
        drop(Quiet::new(PanicsInDrop));
        let caught = catch(|| {
            let _quiet = Quiet::new(PanicsInDrop);
            panic::resume_unwind(Box::new("the first"));
        });
        assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "the first");
    }
}
