//! A growable deque: its owner pushes and pops at the bottom, thieves take from the top.
//!
//! ```text
//! | free | oldest … newest | free
//!       top              bottom          both only wrap; a slot is index & mask
//! ```
//!
//! The owner works on what it touched last, which is still in its cache; a thief gets the oldest element,
//! usually the largest piece of work. Only for the last element do they meet, in a compare-exchange of `top`.
//!
//! Cost: push two stores; pop a store, a fence and a load; steal a fence and a compare-exchange. When the
//! buffer is full the owner copies it into one of twice the size. Old buffers are kept until the deque is
//! dropped, since a thief may still read them: together they are smaller than the current one.
//!
//! The algorithm is that of Chase and Lev with the fences of Lê, Pop, Cohen and Zappa Nardelli. Where the
//! project's seeds differ from it (no fence in `steal`, a `bottom` that is not restored after the last
//! element, a buffer that is not masked) they lose elements.
//!
//! While the deque is empty its owner can *shut* it. The next push opens it again, with a fence: so whoever
//! passes a fence and then finds it shut knows that the owner has still to pass that one. It costs the pushes
//! that follow nothing, since a shut deque passes for a full one.
//!
//! # Invariants
//! I1 `top` only grows, by compare-exchange from `t` to `t + 1`: whoever does that owns element `t`.
//! I2 Only the owner writes `bottom`, the buffer pointer and the slots; every store to `bottom` is a release.
//! I3 `[top, bottom)` are elements, each in slot `index & mask` of the current buffer.
//! I4 Slot `i` of a buffer is overwritten only after `top` was seen above `i`; a replaced buffer never is.
//! I5 The owner takes element `b = bottom - 1` without a compare-exchange only if it saw `top < b` after its
//!    fence.
//! I6 While the deque is shut it is empty. Between that and the next push the owner passes a fence.

use super::{Element, Steal};
use crate::sync::{Arc, AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence, plain_load};
use crossbeam_utils::CachePadded;
use std::{
    cell::Cell,
    fmt,
    marker::PhantomData,
    ptr::{self, NonNull},
};

/// How many slots a new deque has.
#[cfg(not(heist_loom))]
const INITIAL_CAPACITY: usize = 64;
#[cfg(heist_loom)]
const INITIAL_CAPACITY: usize = 2;

/// Makes an empty deque: the end of its owner and the end of its thieves.
pub fn new<T: Element>() -> (Owner<T>, Stealer<T>) {
    starting_at(0)
}

/// A deque whose indices begin at `index`, to see them wrap.
pub(crate) fn starting_at<T: Element>(index: usize) -> (Owner<T>, Stealer<T>) {
    let shared = Arc::new(Shared {
        top: CachePadded::new(AtomicUsize::new(index)),
        bottom: CachePadded::new(AtomicUsize::new(index)),
        buffer: AtomicPtr::new(Buffer::leak(INITIAL_CAPACITY, ptr::null_mut())),
        open: AtomicBool::new(true),
        elements: PhantomData,
    });
    let owner = Owner {
        shared: shared.clone(),
        slots: Cell::new(NonNull::dangling()),
        mask: Cell::new(0),
        full_at: Cell::new(0),
        is_shut: Cell::new(false),
        not_sync: PhantomData,
    };
    owner.look_at_buffer(index);
    owner.shut();
    (owner, Stealer { shared })
}

type Slot = AtomicPtr<()>;

struct Buffer {
    slots: Box<[Slot]>,
    /// The buffer that this one replaced, kept since a thief may still read it. Null for the first.
    older: *mut Buffer,
}

impl Buffer {
    /// A buffer of its own on the heap; freed by `Shared::drop`.
    fn leak(capacity: usize, older: *mut Buffer) -> *mut Buffer {
        debug_assert!(capacity.is_power_of_two());
        let slots = (0..capacity).map(|_| Slot::default()).collect();
        Box::into_raw(Box::new(Buffer { slots, older }))
    }

    fn slot(&self, index: usize) -> &Slot {
        // SAFETY: the mask keeps it below the length, a power of two.
        unsafe { self.slots.get_unchecked(index & (self.slots.len() - 1)) }
    }
}

struct Shared<T: Element> {
    top: CachePadded<AtomicUsize>,
    bottom: CachePadded<AtomicUsize>,
    buffer: AtomicPtr<Buffer>,
    open: AtomicBool,
    elements: PhantomData<T>,
}

// SAFETY: elements are handed from thread to thread, never shared.
unsafe impl<T: Element + Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Element + Send> Sync for Shared<T> {}

/// The owner's end.
///
/// It can be sent to another thread, but not be shared.
pub struct Owner<T: Element> {
    shared: Arc<Shared<T>>,
    /// The current buffer's slots, its length less one, and the `bottom` at which it may be full: all the
    /// owner needs to push, without a look at what thieves write.
    slots: Cell<NonNull<Slot>>,
    mask: Cell<usize>,
    full_at: Cell<usize>,
    is_shut: Cell<bool>,
    not_sync: PhantomData<*mut T>,
}

// SAFETY: nothing in it is bound to a thread; it is not Sync.
unsafe impl<T: Element + Send> Send for Owner<T> {}

impl<T: Element> Owner<T> {
    /// Adds an element at the bottom.
    #[inline]
    pub fn push(&self, element: T) {
        self.push_at(element);
    }

    /// Adds an element at the bottom; says at which index, for [`take_back`](Self::take_back).
    #[inline]
    pub(crate) fn push_at(&self, element: T) -> usize {
        let shared = &*self.shared;
        let bottom = shared.bottom.load(Ordering::Relaxed);
        if bottom == self.full_at.get() {
            return self.push_after_making_room(element, bottom);
        }
        // SAFETY: the mask is the buffer's, and the buffer lives until it is retired and we are dropped.
        let slot = unsafe { self.slots.get().add(bottom & self.mask.get()).as_ref() };
        slot.store(element.into_word().as_ptr(), Ordering::Relaxed);
        // ORDERING: pairs with the acquire load of `bottom` in `steal`: who sees the new bottom sees the slot
        // (and the buffer, if it is new).
        shared.bottom.store(bottom.wrapping_add(1), Ordering::Release);
        bottom
    }

    /// Takes the newest element.
    #[inline]
    pub fn pop(&self) -> Option<T> {
        let shared = &*self.shared;
        let bottom = shared.bottom.load(Ordering::Relaxed);
        let newest = bottom.wrapping_sub(1);
        // `top` only grows: there are at most as many elements as an old one says.
        let top = shared.top.load(Ordering::Relaxed);
        let ours = if top == bottom {
            false
        } else if top == newest {
            // The only one is also the oldest: taken from the thieves' end it costs no fence.
            shared.top.compare_exchange(top, bottom, Ordering::SeqCst, Ordering::Relaxed).is_ok()
        } else {
            let reached = self.lower(newest);
            reached < 0 || self.claim_last(newest, reached)
        };
        ours.then(|| self.take(newest))
    }

    /// Takes the newest element if it sits at `index`, for who pushed it there and knows that it has not been
    /// popped since: then it is that one.
    ///
    /// Cheaper than `pop`: the new bottom does not depend on a load of the old one, which the last push
    /// stored a moment ago; and whoever takes back what it pushed is seldom alone with it.
    #[inline]
    pub(crate) fn take_back(&self, index: usize) -> bool {
        if self.shared.bottom.load(Ordering::Relaxed).wrapping_sub(1) != index {
            return false;
        }
        let reached = self.lower(index);
        reached < 0 || self.take_back_last(index, reached)
    }

    #[cold]
    #[inline(never)]
    fn take_back_last(&self, index: usize, reached: isize) -> bool {
        self.claim_last(index, reached)
    }

    /// Moves the bottom down to the newest element, at `newest`; says how far beyond it thieves have reached.
    /// Less than nothing, and it is ours; nothing, and [`claim_last`](Self::claim_last) decides; more, and it
    /// is gone.
    #[inline(always)]
    fn lower(&self, newest: usize) -> isize {
        let shared = &*self.shared;
        // ORDERING: release as every store to `bottom`: a relaxed one would end the release sequence that
        // `push` began, and a thief that reads it would not see the slots below.
        shared.bottom.store(newest, Ordering::Release);
        // ORDERING: pairs with the fence in `steal`. Fences are totally ordered: either the thief sees our
        // lower `bottom` and finds Empty, or we see the `top` it saw and fall into the compare-exchange.
        // Without it both may take the last element (model `an_element_is_taken_back_or_stolen`).
        fence(Ordering::SeqCst);
        let top = shared.top.load(Ordering::Relaxed);
        top.wrapping_sub(newest).cast_signed()
    }

    /// After [`lower`](Self::lower) found no other element: races with thieves for the last element, and says
    /// whether we won.
    #[inline]
    fn claim_last(&self, newest: usize, reached: isize) -> bool {
        let (shared, after) = (&*self.shared, newest.wrapping_add(1));
        let won = reached == 0
            && shared.top.compare_exchange(newest, after, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        // Won or lost, the deque is empty now, with `top` one above `bottom`: restore it. A push on the lower
        // one would vanish.
        shared.bottom.store(after, Ordering::Release);
        won
    }

    fn take(&self, index: usize) -> T {
        // SAFETY: within the buffer, as in `push`.
        let slot = unsafe { self.slots.get().add(index & self.mask.get()).as_ref() };
        let word = slot.load(Ordering::Relaxed);
        // SAFETY: an element (I3), and ours alone: by I5, or by I1 after the compare-exchange in
        // `claim_last`.
        unsafe { T::from_word(NonNull::new_unchecked(word)) }
    }

    /// How many elements there are; thieves may take some of them at any time.
    pub fn len(&self) -> usize {
        self.shared.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shuts the deque, if it is empty and open. See the [module](self).
    #[inline]
    pub(crate) fn shut(&self) {
        if self.is_shut.get() || !self.is_empty() {
            return;
        }
        self.is_shut.set(true);
        self.full_at.set(self.shared.bottom.load(Ordering::Relaxed));
        self.shared.open.store(false, Ordering::Relaxed);
    }

    fn open(&self) {
        self.shared.open.store(true, Ordering::Relaxed);
        // ORDERING: pairs with the fence of who asks `is_shut` afterwards: if it does not see the above, then
        // we see what it did before (model `a_half_on_a_shut_deque_wakes_a_sleeper`).
        fence(Ordering::SeqCst);
        self.is_shut.set(false);
    }

    /// Opens the deque, or looks how far the thieves are, and grows if that gives no room.
    #[cold]
    #[inline(never)]
    fn push_after_making_room(&self, element: T, bottom: usize) -> usize {
        if self.is_shut.get() {
            self.open();
        }
        let top = self.shared.top.load(Ordering::Acquire);
        let capacity = self.mask.get() + 1;
        if bottom.wrapping_sub(top) == capacity {
            self.grow(top, bottom);
        }
        self.look_at_buffer(top);
        self.push_at(element)
    }

    fn grow(&self, top: usize, bottom: usize) {
        let old = self.shared.buffer.load(Ordering::Relaxed);
        // SAFETY: the current buffer, freed only in `drop`.
        let old_buffer = unsafe { &*old };
        let new = Buffer::leak(old_buffer.slots.len() * 2, old);
        // SAFETY: nobody else knows it yet.
        let new_buffer = unsafe { &*new };
        let mut index = top;
        while index != bottom {
            let word = old_buffer.slot(index).load(Ordering::Relaxed);
            new_buffer.slot(index).store(word, Ordering::Relaxed);
            index = index.wrapping_add(1);
        }
        // ORDERING: a thief that sees this pointer sees the copies; one that sees a later `bottom` sees this
        // pointer (model `growing_loses_nothing`).
        self.shared.buffer.store(new, Ordering::Release);
    }

    /// Reads the current buffer into the owner's cells; `top` is what was last seen of it.
    fn look_at_buffer(&self, top: usize) {
        // SAFETY: the current buffer, freed only in `drop`.
        let buffer = unsafe { &*self.shared.buffer.load(Ordering::Relaxed) };
        self.slots.set(NonNull::from(&*buffer.slots).cast());
        self.mask.set(buffer.slots.len() - 1);
        self.full_at.set(top.wrapping_add(buffer.slots.len()));
    }
}

/// The thieves' end. Clones rob the same deque.
pub struct Stealer<T: Element> {
    shared: Arc<Shared<T>>,
}

impl<T: Element> Clone for Stealer<T> {
    fn clone(&self) -> Self {
        Stealer { shared: self.shared.clone() }
    }
}

impl<T: Element> Stealer<T> {
    /// Takes the oldest element.
    pub fn steal(&self) -> Steal<T> {
        let top = self.shared.top.load(Ordering::Acquire);
        // ORDERING: pairs with the fence in `pop`, see there.
        fence(Ordering::SeqCst);
        // ORDERING: pairs with the release stores of `bottom`.
        let bottom = self.shared.bottom.load(Ordering::Acquire);
        if bottom.wrapping_sub(top).cast_signed() <= 0 {
            return Steal::Empty;
        }
        // After `bottom`: element `top` may have been pushed into a newer buffer than the one before it.
        // SAFETY: buffers live as long as the deque.
        let buffer = unsafe { &*self.shared.buffer.load(Ordering::Acquire) };
        // Before the compare-exchange: after it the owner may overwrite the slot (I4).
        let word = buffer.slot(top).load(Ordering::Relaxed);
        let next = top.wrapping_add(1);
        if self.shared.top.compare_exchange(top, next, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            return Steal::Retry;
        }
        // SAFETY: `top` was still ours to move, so the slot had not been overwritten (I4), and it held an
        // element (I3) that is ours alone now (I1).
        Steal::Success(unsafe { T::from_word(NonNull::new_unchecked(word)) })
    }

    /// Whether the owner has shut it, and has to pass a fence before it pushes. See the [module](self).
    pub(crate) fn is_shut(&self) -> bool {
        !self.shared.open.load(Ordering::Relaxed)
    }

    /// Whether there is nothing to take. The owner may push at any time.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements there are; the owner and other thieves may change that at any time.
    pub fn len(&self) -> usize {
        self.shared.len()
    }
}

impl<T: Element> Shared<T> {
    fn len(&self) -> usize {
        let top = self.top.load(Ordering::Acquire);
        let bottom = self.bottom.load(Ordering::Acquire);
        // Between the two stores of a `pop` that finds nothing, `bottom` is one below `top`.
        bottom.wrapping_sub(top).cast_signed().max(0).cast_unsigned()
    }
}

impl<T: Element> Drop for Shared<T> {
    fn drop(&mut self) {
        let top = plain_load(&mut self.top);
        let bottom = plain_load(&mut self.bottom);
        let mut buffer = self.buffer.load(Ordering::Relaxed);
        let mut index = top;
        while index != bottom {
            // SAFETY: the current buffer, and an element (I3) that nobody else can take any more.
            let element = unsafe {
                let word = (*buffer).slot(index).load(Ordering::Relaxed);
                T::from_word(NonNull::new_unchecked(word))
            };
            drop(element);
            index = index.wrapping_add(1);
        }
        while !buffer.is_null() {
            // SAFETY: from `Buffer::leak`; the last handle is gone, and with it whoever could read it.
            buffer = unsafe { Box::from_raw(buffer) }.older;
        }
    }
}

impl<T: Element> fmt::Debug for Owner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").field("len", &self.shared.len()).finish_non_exhaustive()
    }
}

impl<T: Element> fmt::Debug for Stealer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stealer").field("len", &self.shared.len()).finish_non_exhaustive()
    }
}
