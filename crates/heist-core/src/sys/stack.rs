//! Where the current thread's stack is, and where half of it is used up.

/// What std gives a thread that asks for no size.
const USUAL_SIZE: usize = 2 << 20;

/// Where the stack pointer is now. Not the address of a local, which a sanitizer may move to the heap.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn position() -> usize {
    let pointer: usize;
    // SAFETY: copies a register.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    pointer
}

/// About where the stack pointer is now.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline(never)]
pub(crate) fn position() -> usize {
    let here = 0_u8;
    (&raw const here).addr()
}

/// The address below which more than half of the current thread's stack is used.
///
/// `asked` is the size the thread was created with, for systems that cannot tell the real one.
pub(crate) fn half_mark(asked: Option<usize>) -> usize {
    let here = position();
    match lowest_address() {
        Some(low) if low < here => low + (here - low) / 2,
        _ => here.saturating_sub(asked.unwrap_or(USUAL_SIZE) / 2),
    }
}

#[cfg(target_os = "linux")]
fn lowest_address() -> Option<usize> {
    use std::mem::MaybeUninit;

    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut low = std::ptr::null_mut();
    let mut size = 0;
    // SAFETY: the attributes are initialised by the first call, read by the second if the first succeeded,
    // and destroyed then.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let known = libc::pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut size) == 0;
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        known.then_some(low.addr())
    }
}

#[cfg(not(target_os = "linux"))]
fn lowest_address() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_about_half_a_stack_away() {
        let size = 1 << 20;
        let used_at_mark = std::thread::Builder::new()
            .stack_size(size)
            .spawn(move || position() - half_mark(Some(size)))
            .unwrap()
            .join()
            .unwrap();
        assert!((size / 4..size).contains(&used_at_mark), "{used_at_mark} of {size}");
    }
}
