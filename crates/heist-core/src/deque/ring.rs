//! A 256-slot FIFO ring: one owner pushes and pops, one thief at a time takes half.
//!
//! A thief claims by moving `real`, copies, then releases by moving `steal` up to `real`. Meanwhile other
//! thieves get `Retry`; the owner still pops.
//!
//! ```text
//! free | spoken for | runnable | free
//!    steal        real       tail
//! ```
//!
//! Cost: push one store, pop one compare-exchange, steal two (claim and release). If the ring is full, a push
//! hands out the *newer* half together with the new element, to be put into a common queue in one go. The
//! newer half, because elements that came from the common queue sit in the older one: they would go round
//! for ever behind an owner that pushes more than it pops.
//!
//! This is a bounded FIFO, not a Chase-Lev deque. Head, tail and slots are on cache lines of their own: the
//! first is written by thieves and the owner, the others by the owner alone.
//!
//! # Invariants
//! I1 `steal <= real <= tail <= steal + 256`, wrapping; only the owner writes `tail`.
//! I2 `[steal, real)` is the claiming thief's to read, or already popped.
//! I3 `[real, tail)` holds elements.
//! I4 The owner writes slot `tail` only, and only while `tail - steal < 256`.

use super::{Element, Steal};
use crate::sync::{Arc, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use crossbeam_utils::CachePadded;
use std::{fmt, marker::PhantomData, ptr::NonNull};

/// How many elements fit. Under loom few, so that the models reach the end and come round.
pub const CAPACITY: u32 = if cfg!(heist_loom) { 4 } else { 256 };
const HALF: u32 = CAPACITY / 2;

/// Makes an empty ring: the end of its owner and that of its thieves.
pub fn new<T: Element>() -> (Owner<T>, Stealer<T>) {
    starting_at(0)
}

/// A ring whose indices begin at `index`, to see them wrap.
pub(crate) fn starting_at<T: Element>(index: u32) -> (Owner<T>, Stealer<T>) {
    let shared = Arc::new(Shared {
        head: CachePadded::new(AtomicU64::new(Head { steal: index, real: index }.pack())),
        tail: CachePadded::new(AtomicU32::new(index)),
        slots: CachePadded::new(std::array::from_fn(|_| AtomicPtr::default())),
        elements: PhantomData,
    });
    (Owner { shared: shared.clone(), not_sync: PhantomData }, Stealer { shared })
}

/// The two heads, which change together.
#[derive(Clone, Copy)]
struct Head {
    /// Up to here the slots are free again.
    steal: u32,
    /// From here on elements can be taken.
    real: u32,
}

impl Head {
    fn pack(self) -> u64 {
        u64::from(self.steal) << 32 | u64::from(self.real)
    }

    fn unpack(word: u64) -> Self {
        Head { steal: (word >> 32) as u32, real: word as u32 }
    }

    fn is_being_robbed(self) -> bool {
        self.steal != self.real
    }
}

struct Shared<T: Element> {
    head: CachePadded<AtomicU64>,
    tail: CachePadded<AtomicU32>,
    slots: CachePadded<[AtomicPtr<()>; CAPACITY as usize]>,
    elements: PhantomData<T>,
}

// SAFETY: elements are handed from thread to thread, never shared.
unsafe impl<T: Element + Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Element + Send> Sync for Shared<T> {}

impl<T: Element> Shared<T> {
    fn slot(&self, index: u32) -> &AtomicPtr<()> {
        &self.slots[(index % CAPACITY) as usize]
    }

    /// # Safety
    /// Slot `index` holds an element that is the caller's alone.
    unsafe fn take(&self, index: u32) -> T {
        let word = self.slot(index).load(Ordering::Relaxed);
        // SAFETY: by the contract.
        unsafe { T::from_word(NonNull::new_unchecked(word)) }
    }

    fn len(&self) -> usize {
        let head = Head::unpack(self.head.load(Ordering::Acquire));
        let tail = self.tail.load(Ordering::Acquire);
        // Elements may come and go between the two loads.
        tail.wrapping_sub(head.real).min(CAPACITY) as usize
    }
}

/// The owner's end.
///
/// It can be sent to another thread, but not be shared.
pub struct Owner<T: Element> {
    shared: Arc<Shared<T>>,
    not_sync: PhantomData<*mut T>,
}

// SAFETY: nothing in it is bound to a thread; it is not Sync.
unsafe impl<T: Element + Send> Send for Owner<T> {}

impl<T: Element> Owner<T> {
    /// Adds an element at the back, or says what did not fit.
    pub fn push(&self, element: T) -> Result<(), Overflow<T>> {
        let shared = &*self.shared;
        let tail = shared.tail.load(Ordering::Relaxed);
        // ORDERING: acquire pairs with a thief's release of its claim: its reads of the slots come before our
        // next write to them.
        let head = Head::unpack(shared.head.load(Ordering::Acquire));
        if tail.wrapping_sub(head.steal) == CAPACITY {
            return Err(self.overflow(element, head, tail));
        }
        self.write(tail, element);
        Ok(())
    }

    fn write(&self, tail: u32, element: T) {
        self.shared.slot(tail).store(element.into_word().as_ptr(), Ordering::Relaxed);
        // ORDERING: pairs with the acquire load of `tail` in `steal_into`: the element is visible.
        self.shared.tail.store(tail.wrapping_add(1), Ordering::Release);
    }

    /// Claims everything, then puts the older half back where it is: 256 slots later is the same slot.
    #[cold]
    fn overflow(&self, element: T, head: Head, tail: u32) -> Overflow<T> {
        let all = Head { steal: tail, real: tail };
        // ORDERING: as in `pop`, which claims one where we claim all.
        let claim = || {
            let head = head.pack();
            self.shared.head.compare_exchange(head, all.pack(), Ordering::AcqRel, Ordering::Acquire)
        };
        if head.is_being_robbed() || claim().is_err() {
            // A thief is at work. It takes half, so there will be room, but not before it is done.
            return Overflow(vec![element].into_iter());
        }
        let newer = tail.wrapping_sub(HALF);
        let mut elements = Vec::with_capacity(HALF as usize + 1);
        for i in 0..HALF {
            // SAFETY: claimed above (I2), and nobody but us writes slots.
            elements.push(unsafe { self.shared.take(newer.wrapping_add(i)) });
        }
        elements.push(element);
        // The older half is runnable again, as `[tail, tail + HALF)`.
        self.shared.tail.store(tail.wrapping_add(HALF), Ordering::Release);
        Overflow(elements.into_iter())
    }

    /// Takes the oldest element.
    pub fn pop(&self) -> Option<T> {
        let shared = &*self.shared;
        let mut word = shared.head.load(Ordering::Acquire);
        loop {
            let head = Head::unpack(word);
            let tail = shared.tail.load(Ordering::Relaxed);
            if head.real == tail {
                return None;
            }
            let real = head.real.wrapping_add(1);
            let steal = if head.is_being_robbed() { head.steal } else { real };
            let next = Head { steal, real }.pack();
            match shared.head.compare_exchange_weak(word, next, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: our compare-exchange moved `real` past it: an element (I3 before it), ours alone
                // (I2), and only we could overwrite it (I4).
                Ok(_) => return Some(unsafe { shared.take(head.real) }),
                Err(now) => word = now,
            }
        }
    }

    /// How many elements there are; thieves may take some of them at any time.
    pub fn len(&self) -> usize {
        self.shared.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements can be pushed for certain.
    pub fn room(&self) -> usize {
        let tail = self.shared.tail.load(Ordering::Relaxed);
        let head = Head::unpack(self.shared.head.load(Ordering::Acquire));
        (CAPACITY - tail.wrapping_sub(head.steal)) as usize
    }
}

/// What did not fit: the newer half of the ring, oldest first, and last the element that was to be pushed. Or
/// that element alone, if a thief was at work.
#[must_use = "the elements in it are no longer in the ring"]
#[derive(Debug)]
pub struct Overflow<T>(std::vec::IntoIter<T>);

impl<T> Iterator for Overflow<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> ExactSizeIterator for Overflow<T> {}

/// The thieves' end. Clones rob the same ring.
pub struct Stealer<T: Element> {
    shared: Arc<Shared<T>>,
}

impl<T: Element> Clone for Stealer<T> {
    fn clone(&self) -> Self {
        Stealer { shared: self.shared.clone() }
    }
}

impl<T: Element> Stealer<T> {
    /// Moves half of the elements, rounded up, into the thief's own ring; the oldest is returned instead.
    ///
    /// `Retry` also if the thief's own ring has no room for half a ring: pop from it first.
    pub fn steal_into(&self, own: &Owner<T>) -> Steal<T> {
        // A thief that robs `own` meanwhile has not freed the slots it copies: `room` counts from its
        // `steal`.
        if own.room() < HALF as usize {
            return Steal::Retry;
        }
        let own_tail = own.shared.tail.load(Ordering::Relaxed);
        let (first, count) = match self.claim() {
            Steal::Success(claim) => claim,
            Steal::Empty => return Steal::Empty,
            Steal::Retry => return Steal::Retry,
        };
        // The oldest is not copied but returned.
        for i in 1..count {
            let word = self.shared.slot(first.wrapping_add(i)).load(Ordering::Relaxed);
            own.shared.slot(own_tail.wrapping_add(i - 1)).store(word, Ordering::Relaxed);
        }
        // SAFETY: claimed: an element (I3), ours alone (I2), not overwritten until `release` (I4).
        let oldest = unsafe { self.shared.take(first) };
        self.release();
        // ORDERING: publishes the copies to those who rob us in turn.
        own.shared.tail.store(own_tail.wrapping_add(count - 1), Ordering::Release);
        Steal::Success(oldest)
    }

    /// Takes the oldest element alone, for a thief that has no ring.
    pub fn steal(&self) -> Steal<T> {
        let mut word = self.shared.head.load(Ordering::Acquire);
        loop {
            let head = Head::unpack(word);
            if head.is_being_robbed() {
                return Steal::Retry;
            }
            if head.real == self.shared.tail.load(Ordering::Acquire) {
                return Steal::Empty;
            }
            // Read first: once both heads have moved the owner may overwrite it.
            let element = self.shared.slot(head.real).load(Ordering::Relaxed);
            let after = head.real.wrapping_add(1);
            let next = Head { steal: after, real: after }.pack();
            match self.shared.head.compare_exchange(word, next, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: nobody moved the heads in between, so it was an element (I3) and is ours alone.
                Ok(_) => return Steal::Success(unsafe { T::from_word(NonNull::new_unchecked(element)) }),
                Err(now) => word = now,
            }
        }
    }

    /// Moves `real` over half of the elements: the first one's index and how many there are.
    fn claim(&self) -> Steal<(u32, u32)> {
        let mut word = self.shared.head.load(Ordering::Acquire);
        loop {
            let head = Head::unpack(word);
            if head.is_being_robbed() {
                return Steal::Retry;
            }
            // ORDERING: pairs with the release store in `push`: the elements below `tail` are visible.
            let tail = self.shared.tail.load(Ordering::Acquire);
            // If the head is stale this can be too many; then the compare-exchange fails.
            let count = tail.wrapping_sub(head.real).div_ceil(2).min(HALF);
            if count == 0 {
                return Steal::Empty;
            }
            let next = Head { steal: head.steal, real: head.real.wrapping_add(count) }.pack();
            match self.shared.head.compare_exchange(word, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Steal::Success((head.real, count)),
                Err(now) => word = now,
            }
        }
    }

    /// Moves `steal` up to `real`, where the owner may have moved it since.
    fn release(&self) {
        let mut word = self.shared.head.load(Ordering::Acquire);
        loop {
            let real = Head::unpack(word).real;
            let next = Head { steal: real, real }.pack();
            // ORDERING: release pairs with the acquire load in `push`: our reads of the slots are done.
            match self.shared.head.compare_exchange_weak(word, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
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

impl<T: Element> Drop for Shared<T> {
    fn drop(&mut self) {
        let head = Head::unpack(self.head.load(Ordering::Relaxed));
        let tail = self.tail.load(Ordering::Relaxed);
        let mut index = head.real;
        while index != tail {
            // SAFETY: an element (I3) that nobody else can take any more.
            drop(unsafe { self.take(index) });
            index = index.wrapping_add(1);
        }
    }
}

impl<T: Element> fmt::Debug for Owner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<T: Element> fmt::Debug for Stealer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stealer").field("len", &self.len()).finish_non_exhaustive()
    }
}
