//! The queues on real threads, and their corners on one.

use super::{Steal, chase_lev, injector::Injector, ring};
use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        mpsc::{self, Sender},
    },
    thread,
};

type Number = Box<usize>;

fn drain(queue: &Injector<Number>) -> Vec<usize> {
    std::iter::from_fn(|| queue.steal().success()).map(|number| *number).collect()
}

/// Starts thieves that send what they steal until told to stop; returns all that was taken, sorted.
fn rob<S: Send + 'static>(
    thieves: impl IntoIterator<Item = S>,
    steal: impl Fn(&S, &Sender<usize>) -> bool + Clone + Send + 'static,
    owner: impl FnOnce(&Sender<usize>),
) -> Vec<usize> {
    let (sender, receiver) = mpsc::channel();
    let done = Arc::new(());
    let handles: Vec<_> = thieves
        .into_iter()
        .map(|thief| {
            let (sender, steal, done) = (sender.clone(), steal.clone(), Arc::downgrade(&done));
            thread::spawn(move || while steal(&thief, &sender) || done.strong_count() > 0 {})
        })
        .collect();
    owner(&sender);
    drop((done, sender));
    for handle in handles {
        handle.join().unwrap();
    }
    let mut taken: Vec<_> = receiver.into_iter().collect();
    taken.sort_unstable();
    taken
}

#[test]
fn the_owner_pops_the_newest_and_a_thief_the_oldest() {
    let (owner, stealer) = chase_lev::new();
    (1..=3).for_each(|n| owner.push(Box::new(n)));
    assert_eq!(stealer.steal(), Steal::Success(Box::new(1)));
    assert_eq!(owner.pop(), Some(Box::new(3)));
    assert_eq!(owner.pop(), Some(Box::new(2)));
    assert_eq!((owner.pop(), stealer.steal()), (None, Steal::Empty));
}

#[test]
fn a_deque_is_shut_only_while_it_is_empty_and_a_push_opens_it() {
    // Also where the indices wrap, and where the buffer is full at the next push.
    for start in [0, usize::MAX - 1, 64] {
        let (owner, stealer) = chase_lev::starting_at(start);
        assert!(stealer.is_shut());
        (0..64).for_each(|n| owner.push(Box::new(n)));
        owner.shut();
        assert!(!stealer.is_shut());
        let popped: Vec<_> = std::iter::from_fn(|| owner.pop()).map(|n| *n).collect();
        assert_eq!(popped, (0..64).rev().collect::<Vec<_>>());
        assert!(!stealer.is_shut());
        owner.shut();
        owner.shut();
        assert!(stealer.is_shut() && owner.pop().is_none());
        owner.push(Box::new(64));
        assert!(!stealer.is_shut());
        assert_eq!(stealer.steal(), Steal::Success(Box::new(64)));
    }
}

#[test]
fn a_push_after_the_last_pop_does_not_vanish() {
    let (owner, stealer) = chase_lev::new();
    for n in 0..1000 {
        owner.push(Box::new(n));
        assert_eq!(owner.pop(), Some(Box::new(n)));
        assert_eq!(owner.pop(), None);
        owner.push(Box::new(n));
        assert_eq!(stealer.steal(), Steal::Success(Box::new(n)));
        assert!(owner.is_empty() && stealer.is_empty());
    }
}

#[test]
fn indices_wrap_in_every_queue() {
    let (owner, stealer) = chase_lev::starting_at(usize::MAX - 3);
    (0..200).for_each(|n| owner.push(Box::new(n)));
    assert_eq!(owner.len(), 200);
    assert_eq!(stealer.steal(), Steal::Success(Box::new(0)));
    let popped: Vec<_> = std::iter::from_fn(|| owner.pop()).map(|n| *n).collect();
    assert_eq!(popped, (1..200).rev().collect::<Vec<_>>());

    let (owner, stealer) = ring::starting_at(u32::MAX - 3);
    (0..10).for_each(|n| owner.push(Box::new(n)).unwrap());
    let (own, _) = ring::starting_at(u32::MAX - 1);
    assert_eq!(stealer.steal_into(&own), Steal::Success(Box::new(0)));
    let popped: Vec<_> = std::iter::from_fn(|| own.pop().or_else(|| owner.pop())).map(|n| *n).collect();
    assert_eq!(popped, (1..10).collect::<Vec<_>>());

    let queue = Injector::starting_at(usize::MAX);
    queue.push_batch((0..200).map(Box::new));
    assert_eq!(queue.len(), 200);
    assert_eq!(drain(&queue), (0..200).collect::<Vec<_>>());
}

#[test]
fn a_deque_that_grows_under_thieves_hands_out_everything_once() {
    const COUNT: usize = 200_000;
    let (owner, stealer) = chase_lev::new();
    let steal = |stealer: &chase_lev::Stealer<Number>, sender: &Sender<usize>| match stealer.steal() {
        Steal::Success(number) => sender.send(*number).is_ok(),
        Steal::Retry => true,
        Steal::Empty => false,
    };
    let taken = rob([stealer.clone(), stealer], steal, |sender| {
        for n in 0..COUNT {
            owner.push(Box::new(n));
            // Now and then all of it, so that the race for the last one is run often.
            if n % 7 == 0 || n % 1000 < 3 {
                std::iter::from_fn(|| owner.pop()).take(3).for_each(|number| sender.send(*number).unwrap());
            }
        }
        std::iter::from_fn(|| owner.pop()).for_each(|number| sender.send(*number).unwrap());
    });
    assert_eq!(taken, (0..COUNT).collect::<Vec<_>>());
}

#[test]
fn taking_back_sees_what_is_above_and_what_is_gone() {
    let (owner, stealer) = chase_lev::new();
    let first = owner.push_at(NonZeroUsize::new(1).unwrap());
    let second = owner.push_at(NonZeroUsize::new(2).unwrap());
    assert!(!owner.take_back(first), "it is not the newest");
    assert!(owner.take_back(second));
    assert_eq!(stealer.steal().success(), NonZeroUsize::new(1));
    assert!(!owner.take_back(first), "it was stolen");
    assert!(owner.is_empty());
}

#[test]
fn a_full_ring_hands_out_its_newer_half_in_order() {
    let (owner, _) = ring::new();
    (0..256).for_each(|n| owner.push(Box::new(n)).unwrap());
    assert_eq!(owner.room(), 0);
    let overflow: Vec<_> = owner.push(Box::new(256)).unwrap_err().map(|n| *n).collect();
    assert_eq!(overflow, (128..=256).collect::<Vec<_>>());
    assert_eq!(owner.len(), 128);
    let rest: Vec<_> = std::iter::from_fn(|| owner.pop()).map(|n| *n).collect();
    assert_eq!(rest, (0..128).collect::<Vec<_>>(), "the oldest stay, so that their turn comes");
}

#[test]
fn what_nobody_takes_out_of_an_overflow_is_dropped() {
    let counted = Arc::new(());
    let (owner, _) = ring::new();
    for _ in 0..256 {
        owner.push(Box::new(counted.clone())).unwrap();
    }
    drop(owner.push(Box::new(counted.clone())).unwrap_err());
    assert_eq!(Arc::strong_count(&counted), 1 + 128);
}

#[test]
fn a_thief_takes_half_rounded_up_and_at_most_128() {
    for (count, stolen) in [(1, 1), (2, 1), (3, 2), (255, 128), (256, 128)] {
        let (owner, stealer) = ring::new();
        (0..count).for_each(|n| owner.push(Box::new(n)).unwrap());
        let (own, _) = ring::new();
        assert_eq!(stealer.steal_into(&own), Steal::Success(Box::new(0)));
        assert_eq!((own.len() + 1, owner.len()), (stolen, count - stolen), "of {count}");
    }
}

#[test]
fn a_thief_whose_own_ring_has_no_room_for_half_takes_nothing() {
    let (owner, stealer) = ring::new();
    owner.push(Box::new(1)).unwrap();
    let (own, _) = ring::new();
    (0..129).for_each(|n| own.push(Box::new(n)).unwrap());
    assert_eq!(stealer.steal_into(&own), Steal::Retry);
    assert_eq!((owner.len(), own.len()), (1, 129));
}

#[test]
fn rings_that_rob_each_other_hand_out_everything_once() {
    const COUNT: usize = 200_000;
    let (owner, stealer) = ring::new();
    let steal = |(stealer, own): &(ring::Stealer<Number>, ring::Owner<Number>), sender: &Sender<usize>| {
        let found = match stealer.steal_into(own) {
            Steal::Success(number) => sender.send(*number).is_ok(),
            Steal::Retry => true,
            Steal::Empty => false,
        };
        // One thief leaves some of its loot for the other to find.
        std::iter::from_fn(|| own.pop()).for_each(|number| sender.send(*number).unwrap());
        found
    };
    let (own_a, rob_a) = ring::new();
    let (own_b, _) = ring::new();
    let thieves = [(stealer.clone(), own_a), (stealer, own_b)];
    let taken = rob(thieves, steal, |sender| {
        for n in 0..COUNT {
            if let Err(overflow) = owner.push(Box::new(n)) {
                overflow.for_each(|number| sender.send(*number).unwrap());
            }
            if n % 5 == 0 {
                let found = owner.pop().or_else(|| rob_a.steal().success());
                found.into_iter().for_each(|number| sender.send(*number).unwrap());
            }
        }
        std::iter::from_fn(|| owner.pop()).for_each(|number| sender.send(*number).unwrap());
    });
    assert_eq!(taken, (0..COUNT).collect::<Vec<_>>());
}

#[test]
fn an_injector_keeps_the_order_of_each_producer() {
    const EACH: usize = 20_000;
    let queue = Arc::new(Injector::new());
    let producers: Vec<_> = (0..4)
        .map(|producer| {
            let queue = queue.clone();
            thread::spawn(move || {
                for n in (0..EACH).step_by(10) {
                    if n % 3 == 0 {
                        queue.push_batch((n..n + 10).map(|n| Box::new(producer * EACH + n)));
                    } else {
                        (n..n + 10).for_each(|n| queue.push(Box::new(producer * EACH + n)));
                    }
                }
            })
        })
        .collect();
    let mut next: Vec<_> = (0..4).map(|producer| producer * EACH).collect();
    let mut taken = 0;
    while taken < 4 * EACH {
        let mut batch = Vec::new();
        if let Steal::Success(first) = queue.steal_batch(33, |number| batch.push(number)) {
            for number in std::iter::once(first).chain(batch) {
                let producer = *number / EACH;
                assert_eq!(*number, next[producer]);
                next[producer] += 1;
                taken += 1;
            }
        } else {
            thread::yield_now();
        }
    }
    producers.into_iter().for_each(|producer| producer.join().unwrap());
    assert!(queue.is_empty());
}

#[test]
fn an_injector_knows_its_length_across_blocks() {
    let queue = Injector::new();
    for n in 0..300 {
        assert_eq!(queue.len(), n);
        queue.push(Box::new(n));
    }
    for n in (0..300).rev() {
        assert!(queue.steal().success().is_some());
        assert_eq!(queue.len(), n);
    }
}

#[test]
fn a_batch_of_at_most_nothing_still_takes_one() {
    let queue = Injector::new();
    queue.push_batch([1, 2].map(Box::new));
    assert_eq!(queue.steal_batch(0, |_| unreachable!()), Steal::Success(Box::new(1)));
    assert_eq!(queue.len(), 1);
}

#[test]
fn dropped_queues_drop_what_is_in_them() {
    let counted = Arc::new(());
    {
        let (deque, _) = chase_lev::new();
        let (ring, _) = ring::new();
        let injector = Injector::new();
        for _ in 0..100 {
            deque.push(counted.clone());
            ring.push(counted.clone()).unwrap();
            injector.push(counted.clone());
        }
        drop((deque.pop(), ring.pop(), injector.steal()));
        assert_eq!(Arc::strong_count(&counted), 1 + 3 * 99);
    }
    assert_eq!(Arc::strong_count(&counted), 1);
}
