//! An unbounded FIFO that anybody may push to and take from: where threads outside a pool submit work, and
//! each worker's inbox.
//!
//! Elements sit in a list of blocks. A position is a number; `position % LAP` is a slot of a block, or, for
//! the last one, the gap in which the next block is put in place.
//!
//! ```text
//! head                              tail
//! [ . . x x x x x ] -> [ x x x x x x x ] -> [ x x . . . . . ]
//! ```
//!
//! Producers reserve positions by a compare-exchange of `tail`, then fill the slots: they wait for nobody but
//! the one among them who puts a new block in place. Takers hold a lock that is only ever tried: who does not
//! get it gets `Retry` and looks elsewhere. A batch takes it once.
//!
//! # Invariants
//! I1 A slot is null until the producer that reserved it fills it, once.
//! I2 Only the holder of the lock moves `head`, reads slots and frees blocks.
//! I3 A block's `next` is set before its last slot is filled, and that fill is the last touch by a producer:
//!    a block whose slots have all been taken is its taker's to free.
//! I4 A producer touches a block only for positions it reserved, and `tail.block` is the block of
//!    `tail.index` whenever the latter is not in the gap.
//! I5 `head` is never left in the gap, so `head == tail` says that the queue is empty.

use super::{Element, Steal};
use crate::sync::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, spin_loop, yield_now};
use crossbeam_utils::CachePadded;
use std::{
    fmt,
    marker::PhantomData,
    ptr::{self, NonNull},
};

/// Slots per block, and the positions a block stands for: one more, the gap.
const SLOTS: usize = if cfg!(heist_loom) { 2 } else { 63 };
const LAP: usize = SLOTS + 1;

struct Block {
    slots: [AtomicPtr<()>; SLOTS],
    next: AtomicPtr<Block>,
}

impl Block {
    fn leak() -> *mut Block {
        let slots = std::array::from_fn(|_| AtomicPtr::default());
        Box::into_raw(Box::new(Block { slots, next: AtomicPtr::default() }))
    }
}

/// One end of the queue: a position and its block.
struct End {
    index: AtomicUsize,
    block: AtomicPtr<Block>,
}

/// See the [module](self).
pub struct Injector<T: Element> {
    tail: CachePadded<End>,
    head: CachePadded<End>,
    taking: AtomicBool,
    /// Invariant in `T`: elements go in through a shared reference.
    elements: PhantomData<fn(T) -> T>,
}

// SAFETY: elements are handed from thread to thread, never shared.
unsafe impl<T: Element + Send> Send for Injector<T> {}
// SAFETY: as above.
unsafe impl<T: Element + Send> Sync for Injector<T> {}

impl<T: Element> Default for Injector<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Element> Injector<T> {
    /// Makes an empty queue.
    pub fn new() -> Self {
        Self::starting_at(0)
    }

    /// A queue whose positions begin in lap `lap`, to see them wrap.
    pub(crate) fn starting_at(lap: usize) -> Self {
        let block = Block::leak();
        let end = || End { index: AtomicUsize::new(lap.wrapping_mul(LAP)), block: AtomicPtr::new(block) };
        Injector {
            tail: CachePadded::new(end()),
            head: CachePadded::new(end()),
            taking: AtomicBool::new(false),
            elements: PhantomData,
        }
    }

    /// Adds an element at the back.
    pub fn push(&self, element: T) {
        let (block, offset, _one) = self.reserve(1);
        // SAFETY: we have reserved the slot.
        unsafe { Self::fill(block, offset, element) };
    }

    /// Adds elements at the back, next to each other as far as they fit into a block.
    ///
    /// Their places are reserved together, so a batch costs little more than one element.
    pub fn push_batch(&self, elements: impl IntoIterator<Item = T>) {
        // Collected first: an iterator that panics must not leave reserved slots empty behind it.
        let mut elements = elements.into_iter().collect::<Vec<_>>().into_iter();
        while elements.len() > 0 {
            let (block, offset, count) = self.reserve(elements.len());
            for (offset, element) in (offset..).zip(elements.by_ref().take(count)) {
                // SAFETY: we have reserved the slot.
                unsafe { Self::fill(block, offset, element) };
            }
        }
    }

    /// # Safety
    /// The slot was reserved by the caller and is filled once.
    unsafe fn fill(block: *mut Block, offset: usize, element: T) {
        // SAFETY: the block lives until its last slot is filled (I3, I4).
        let slot = unsafe { &(*block).slots[offset] };
        // ORDERING: pairs with the acquire load in `Taker::next`.
        slot.store(element.into_word().as_ptr(), Ordering::Release);
    }

    /// Reserves up to `wanted` positions in one block: the block, the first slot and how many.
    fn reserve(&self, wanted: usize) -> (*mut Block, usize, usize) {
        let mut spare = SpareBlock(ptr::null_mut());
        let mut waited = 0;
        loop {
            // ORDERING: pairs with the release stores below: who sees a position in a block sees the block.
            let index = self.tail.index.load(Ordering::Acquire);
            let block = self.tail.block.load(Ordering::Acquire);
            let offset = index % LAP;
            if offset == SLOTS {
                // Somebody puts the next block in place; if it lost the processor, let it have ours.
                waited += 1;
                if waited % 64 == 0 {
                    yield_now()
                } else {
                    spin_loop()
                }
                continue;
            }
            let count = wanted.min(SLOTS - offset);
            let fills = offset + count == SLOTS;
            if fills && spare.0.is_null() {
                spare.0 = Block::leak();
            }
            let next = index.wrapping_add(count);
            if self
                .tail
                .index
                .compare_exchange_weak(index, next, Ordering::AcqRel, Ordering::Acquire)
                .is_err()
            {
                continue;
            }
            if fills {
                let new = spare.take();
                // We are in the gap: the others wait for us. `index` last, it lets them go on (I4).
                self.tail.block.store(new, Ordering::Release);
                self.tail.index.store(next.wrapping_add(1), Ordering::Release);
                // SAFETY: the block has slots that we have not filled yet, so nobody frees it (I3).
                unsafe { (*block).next.store(new, Ordering::Release) };
            }
            return (block, offset, count);
        }
    }

    /// Takes the oldest element.
    pub fn steal(&self) -> Steal<T> {
        if self.is_empty() {
            return Steal::Empty;
        }
        let Some(mut taker) = Taker::new(self) else { return Steal::Retry };
        match taker.next() {
            Some(element) => Steal::Success(element),
            None => taker.nothing_there(),
        }
    }

    /// Takes up to `most` elements, oldest first: the first is returned, the others go into `rest`.
    ///
    /// Others get [`Steal::Retry`] until this returns, as would `rest` if it took from the same queue.
    pub fn steal_batch(&self, most: usize, mut rest: impl FnMut(T)) -> Steal<T> {
        if self.is_empty() {
            return Steal::Empty;
        }
        let Some(mut taker) = Taker::new(self) else { return Steal::Retry };
        let Some(first) = taker.next() else { return taker.nothing_there() };
        for element in taker.take(most.saturating_sub(1)) {
            rest(element);
        }
        Steal::Success(first)
    }

    /// Whether there is nothing to take. An element counts from the moment its place is reserved.
    pub fn is_empty(&self) -> bool {
        self.head.index.load(Ordering::Acquire) == self.tail.index.load(Ordering::Acquire)
    }

    /// How many elements there are; that may change at any time.
    pub fn len(&self) -> usize {
        let head = self.head.index.load(Ordering::Acquire);
        let tail = self.tail.index.load(Ordering::Acquire);
        let positions = tail.wrapping_sub(head);
        if positions.cast_signed() <= 0 {
            return 0;
        }
        // Of these positions, so many are gaps.
        positions - (head % LAP + positions) / LAP
    }
}

/// A block that is freed unless it is put to use.
struct SpareBlock(*mut Block);

impl SpareBlock {
    fn take(&mut self) -> *mut Block {
        std::mem::replace(&mut self.0, ptr::null_mut())
    }
}

impl Drop for SpareBlock {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: from `Block::leak`, and nobody has seen it.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

/// Holds the lock; gives the elements in turn.
struct Taker<'a, T: Element> {
    queue: &'a Injector<T>,
    index: usize,
}

impl<'a, T: Element> Taker<'a, T> {
    fn new(queue: &'a Injector<T>) -> Option<Self> {
        let free = queue.taking.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok();
        free.then(|| Taker { queue, index: queue.head.index.load(Ordering::Relaxed) })
    }

    /// After `next` gave nothing: is the queue empty, or is a producer about to fill the slot?
    fn nothing_there<U>(self) -> Steal<U> {
        if self.queue.tail.index.load(Ordering::Acquire) == self.index { Steal::Empty } else { Steal::Retry }
    }
}

impl<T: Element> Iterator for Taker<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let head = &self.queue.head;
        let block = head.block.load(Ordering::Relaxed);
        let offset = self.index % LAP;
        // SAFETY: the head's block is freed only by the holder of the lock (I2).
        let word = unsafe { (*block).slots[offset].load(Ordering::Acquire) };
        let word = NonNull::new(word)?;
        self.index = self.index.wrapping_add(1);
        if offset + 1 == SLOTS {
            // Over the gap. SAFETY: its last slot is filled, so `next` is set and no producer comes back
            // (I3); it came from `Block::leak`.
            unsafe {
                head.block.store((*block).next.load(Ordering::Acquire), Ordering::Relaxed);
                drop(Box::from_raw(block));
            }
            self.index = self.index.wrapping_add(1);
        }
        // SAFETY: filled once (I1), and we hold the lock and have moved past it (I2).
        Some(unsafe { T::from_word(word) })
    }
}

impl<T: Element> Drop for Taker<'_, T> {
    fn drop(&mut self) {
        self.queue.head.index.store(self.index, Ordering::Release);
        // ORDERING: pairs with the acquire in `new`: head and freed blocks are visible to the next taker.
        self.queue.taking.store(false, Ordering::Release);
    }
}

impl<T: Element> Drop for Injector<T> {
    fn drop(&mut self) {
        // Nobody else is here, so the lock is free and every reserved slot is filled.
        if let Some(taker) = Taker::new(self) {
            taker.for_each(drop);
        }
        // SAFETY: from `Block::leak`; the only block left.
        drop(unsafe { Box::from_raw(self.head.block.load(Ordering::Relaxed)) });
    }
}

impl<T: Element> fmt::Debug for Injector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Injector").field("len", &self.len()).finish_non_exhaustive()
    }
}
