//! Models of the queues: loom tries every interleaving and every value that a load may see.
//!
//! Each takes all elements exactly once, whoever gets them; each fails if one of the orderings it is there
//! for is weakened.

use super::{Steal, chase_lev, injector::Injector, ring};
use crate::sync::{Arc, cell::UnsafeCell, model, thread};

/// An element whose content loom watches: taking it without having seen its push is a data race.
fn watched(n: usize) -> Box<UnsafeCell<usize>> {
    Box::new(UnsafeCell::new(n))
}

#[expect(clippy::boxed_local, reason = "it is what the queues hand out")]
fn open(element: Box<UnsafeCell<usize>>) -> usize {
    // SAFETY: taken once, so nobody else reads or writes it; loom checks that.
    element.with_mut(|n| unsafe { *n })
}

/// Steals until there is nothing, and opens what it gets on the spot: later somebody else's `join` would have
/// ordered everything.
fn drain(steal: impl Fn() -> Steal<Box<UnsafeCell<usize>>>) -> Vec<usize> {
    let mut taken = Vec::new();
    loop {
        match steal() {
            Steal::Success(element) => taken.push(open(element)),
            Steal::Retry => thread::yield_now(),
            Steal::Empty => return taken,
        }
    }
}

/// One steal of half a ring, and what it moved.
fn rob(stealer: &ring::Stealer<Box<UnsafeCell<usize>>>) -> Vec<usize> {
    let (own, _) = ring::new();
    let first = stealer.steal_into(&own).success();
    first.into_iter().chain(std::iter::from_fn(|| own.pop())).map(open).collect()
}

fn assert_each_once(taken: impl IntoIterator<Item = usize>, count: usize) {
    let mut taken: Vec<_> = taken.into_iter().collect();
    taken.sort_unstable();
    assert_eq!(taken, (1..=count).collect::<Vec<_>>());
}

/// Loom itself must be at work: without acquire and release this is a race, and it has to say so.
#[test]
#[should_panic = "Causality violation"]
fn canary_a_race_is_found() {
    use crate::sync::{AtomicBool, Ordering};
    model(|| {
        let shared = Arc::new((UnsafeCell::new(0), AtomicBool::new(false)));
        let other = shared.clone();
        thread::spawn(move || {
            // SAFETY: it is not.
            other.0.with_mut(|n| unsafe { *n = 1 });
            other.1.store(true, Ordering::Relaxed);
        });
        if shared.1.load(Ordering::Relaxed) {
            // SAFETY: it is not.
            shared.0.with(|n| unsafe { *n });
        }
    });
}

#[test]
fn last_element_is_taken_once() {
    model(|| {
        let (owner, stealer) = chase_lev::new();
        owner.push(watched(1));
        let thief = thread::spawn(move || drain(|| stealer.steal()));
        let popped = owner.pop().map(open);
        assert_each_once(popped.into_iter().chain(thief.join().unwrap()), 1);
    });
}

#[test]
fn two_thieves_and_the_owner_share_without_doubles() {
    model(|| {
        let (owner, stealer) = chase_lev::new();
        owner.push(watched(1));
        owner.push(watched(2));
        let steal = |stealer: chase_lev::Stealer<_>| move || stealer.steal().success().map(open);
        let thieves = [stealer.clone(), stealer].map(|stealer| thread::spawn(steal(stealer)));
        let popped = owner.pop().map(open);
        let stolen = thieves.map(|thief| thief.join().unwrap());
        let rest = std::iter::from_fn(|| owner.pop()).map(open);
        assert_each_once(popped.into_iter().chain(stolen.into_iter().flatten()).chain(rest), 2);
    });
}

#[test]
fn an_element_is_taken_back_or_stolen() {
    model(|| {
        let (owner, stealer) = chase_lev::new();
        owner.push(watched(1));
        let index = owner.push_at(watched(2));
        let thief = thread::spawn(move || drain(|| stealer.steal()));
        let back = owner.take_back(index).then_some(2);
        let popped = owner.pop().map(open);
        assert_each_once(popped.into_iter().chain(thief.join().unwrap()).chain(back), 2);
    });
}

#[test]
fn pushes_after_pops_are_seen_by_thieves() {
    model(|| {
        let (owner, stealer) = chase_lev::new();
        let thief = thread::spawn(move || drain(|| stealer.steal()));
        owner.push(watched(1));
        let first = owner.pop().map(open);
        owner.push(watched(2));
        let second = owner.pop().map(open);
        assert_each_once([first, second].into_iter().flatten().chain(thief.join().unwrap()), 2);
    });
}

#[test]
fn a_thief_that_reads_the_bottom_of_a_pop_sees_what_is_below() {
    model(|| {
        let (owner, stealer) = chase_lev::new();
        let thief = thread::spawn(move || stealer.steal().success().map(open));
        owner.push(watched(1));
        owner.push(watched(2));
        let popped = owner.pop().map(open);
        let stolen = thief.join().unwrap();
        let rest = std::iter::from_fn(|| owner.pop()).map(open);
        assert_each_once(popped.into_iter().chain(stolen).chain(rest), 2);
    });
}

#[test]
fn growing_loses_nothing() {
    model(|| {
        let (owner, stealer) = chase_lev::new();
        owner.push(watched(1));
        owner.push(watched(2));
        let steal = move || [stealer.steal(), stealer.steal()].map(|steal| steal.success().map(open));
        let thief = thread::spawn(steal);
        // The third does not fit any more.
        owner.push(watched(3));
        let stolen = thief.join().unwrap();
        let rest = std::iter::from_fn(|| owner.pop()).map(open);
        assert_each_once(stolen.into_iter().flatten().chain(rest), 3);
    });
}

#[test]
fn ring_owner_and_thief_share_without_doubles() {
    model(|| {
        let (owner, stealer) = ring::new();
        let thief = thread::spawn(move || rob(&stealer));
        owner.push(watched(1)).unwrap();
        owner.push(watched(2)).unwrap();
        let popped = owner.pop().map(open);
        let stolen = thief.join().unwrap();
        let rest = std::iter::from_fn(|| owner.pop()).map(open);
        assert_each_once(popped.into_iter().chain(stolen).chain(rest), 2);
    });
}

#[test]
fn a_ring_that_is_robbed_while_its_owner_goes_round_loses_nothing() {
    model(|| {
        // Indices wrap in the middle of it.
        let (owner, stealer) = ring::starting_at(u32::MAX - 1);
        for n in 1..=3 {
            owner.push(watched(n)).unwrap();
        }
        let thief = thread::spawn(move || rob(&stealer));
        let mut taken: Vec<_> = owner.pop().into_iter().map(open).collect();
        for n in 4..=5 {
            // With a thief at work the single new one comes back, else half.
            if let Err(overflow) = owner.push(watched(n)) {
                taken.extend(overflow.map(open));
            }
        }
        taken.extend(thief.join().unwrap());
        taken.extend(std::iter::from_fn(|| owner.pop()).map(open));
        assert_each_once(taken, 5);
    });
}

#[test]
fn an_overflow_of_the_newer_half_races_with_a_thief() {
    model(|| {
        let (owner, stealer) = ring::new();
        for n in 1..=4 {
            owner.push(watched(n)).unwrap();
        }
        let thief = thread::spawn(move || {
            let alone = stealer.steal().success().map(open);
            alone.into_iter().chain(rob(&stealer)).collect::<Vec<_>>()
        });
        let mut taken = Vec::new();
        if let Err(overflow) = owner.push(watched(5)) {
            taken.extend(overflow.map(open));
        }
        taken.extend(thief.join().unwrap());
        taken.extend(std::iter::from_fn(|| owner.pop()).map(open));
        assert_each_once(taken, 5);
    });
}

#[test]
fn a_thief_that_is_robbed_in_turn_passes_elements_on() {
    model(|| {
        let (first, rob_first) = ring::new();
        let (second, rob_second) = ring::new();
        // Born before the elements: what it knows of them it learns from the ring it robs.
        let last = thread::spawn(move || rob(&rob_second));
        for n in 1..=3 {
            first.push(watched(n)).unwrap();
        }
        let middle = thread::spawn(move || {
            let stolen = rob_first.steal_into(&second).success();
            let rest = std::iter::from_fn(|| second.pop());
            stolen.into_iter().chain(rest).map(open).collect::<Vec<_>>()
        });
        let mut taken = middle.join().unwrap();
        taken.extend(last.join().unwrap());
        taken.extend(std::iter::from_fn(|| first.pop()).map(open));
        assert_each_once(taken, 3);
    });
}

#[test]
fn two_producers_fill_a_block_and_open_the_next() {
    model(|| {
        let queue = Arc::new(Injector::new());
        let other = queue.clone();
        let producer = thread::spawn(move || {
            other.push(watched(1));
            other.push(watched(2));
        });
        queue.push(watched(3));
        producer.join().unwrap();
        assert_each_once(drain(|| queue.steal()), 3);
        assert!(queue.is_empty());
    });
}

#[test]
fn takers_race_with_a_producer_across_blocks() {
    model(|| {
        let queue = Arc::new(Injector::new());
        queue.push(watched(1));
        let (taking, pushing) = (queue.clone(), queue.clone());
        let taker = thread::spawn(move || taking.steal().success().map(open));
        let producer = thread::spawn(move || pushing.push_batch([watched(2), watched(3)]));
        let mut taken: Vec<_> = queue.steal().success().map(open).into_iter().collect();
        taken.extend(taker.join().unwrap());
        producer.join().unwrap();
        taken.extend(drain(|| queue.steal()));
        assert_each_once(taken, 3);
    });
}
