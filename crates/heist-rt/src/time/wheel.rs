//! A hierarchical timing wheel: adding, removing and firing a timer take constant time.
//!
//! Time is counted in ticks. Each level has 64 slots: a slot of level 0 is one tick, one of level 1 is 64
//! ticks, and so on. A timer is in the lowest level on which its tick and the present are in the same turn of
//! the wheel. When the present comes to a slot of a higher level, what is in there moves down.
//!
//! ```text
//! level 2   |    .    |    .    | present |    x    |    64 slots of 4096 ticks
//! level 1                       | . |present| x | . |    64 slots of 64 ticks
//! level 0                           |..p.x..|            64 slots of one tick
//! ```
//!
//! There are as many levels as it takes for every tick to have its place. Six would do for two years; but
//! then what is further away would have to go round, and to turn the wheel by a long time would take as many
//! rounds. So it takes a step per slot that is not empty, and a timer moves down ten times at most.
//!
//! Timers live in a slab; those of a slot form a ring, linked by their keys, oldest first. So a timer costs
//! no allocation of its own, and no pointer.
//!
//! # Invariants
//! I1 A key is valid from [`Wheel::insert`] to [`Wheel::remove`]. A timer that has fired stays in the slab
//!    until then, in no slot, without a waker.
//! I2 A timer in a slot is due after `present`, except in the slot of level 0 that `present` itself is in,
//!    which is not empty only while it is being fired.
//! I3 On the levels above 0 the slot that `present` is in is empty: what a timer in there had in common with
//!    the present would put it lower.
//! I4 Hence, whatever is on a lower level is due before whatever is on a higher one.

use slab::Slab;
use std::task::Waker;

const BITS: u32 = 6;
const SLOTS: usize = 1 << BITS;
const LEVELS: usize = u64::BITS.div_ceil(BITS) as usize;

/// The key of no timer.
const NONE: u32 = u32::MAX;

/// The place of a timer that is in no slot.
const FIRED: u16 = u16::MAX;

/// A slab that is empty gives back its memory if it has become larger than this.
const KEPT: usize = 1024;

#[derive(Debug)]
pub(super) struct Wheel {
    timers: Slab<Timer>,
    /// The tick up to which everything has been fired.
    present: u64,
    /// A bit for each slot that is not empty.
    occupied: [u64; LEVELS],
    /// A bit for each level that has such a slot.
    levels: u16,
    /// The oldest timer of each slot, level by level.
    oldest: Box<[u32]>,
}

#[derive(Debug)]
struct Timer {
    /// The tick at which it is due.
    due: u64,
    waker: Option<Waker>,
    older: u32,
    newer: u32,
    /// The number of its slot.
    place: u16,
}

/// A slot that is not empty.
#[derive(Clone, Copy)]
struct Slot {
    level: usize,
    place: u16,
    /// The tick at which it has to be looked at.
    tick: u64,
}

impl Wheel {
    pub(super) fn new() -> Self {
        Wheel {
            timers: Slab::new(),
            present: 0,
            occupied: [0; LEVELS],
            levels: 0,
            oldest: vec![NONE; LEVELS * SLOTS].into(),
        }
    }

    /// Adds a timer. Gives the waker back if it is due already.
    ///
    /// `now` only spares a wheel that nobody has looked at for long from adding it on too high a level.
    pub(super) fn insert(&mut self, due: u64, now: u64, waker: Waker) -> Result<u32, Waker> {
        self.catch_up(now);
        if due <= self.present {
            return Err(waker);
        }
        let timer = Timer { due, waker: Some(waker), older: NONE, newer: NONE, place: FIRED };
        let key = u32::try_from(self.timers.insert(timer)).expect("fewer timers than that fit into memory");
        self.link(key);
        Ok(key)
    }

    /// Takes a timer out. Its waker, if it has not fired, is for the caller to drop when it holds no lock.
    pub(super) fn remove(&mut self, key: u32) -> Option<Waker> {
        self.unlink(key);
        let timer = self.timers.remove(key as usize);
        if self.timers.is_empty() && self.timers.capacity() > KEPT {
            self.timers = Slab::new();
        }
        timer.waker
    }

    /// Moves a timer that has not fired. If it is due already it fires, and its waker is returned.
    pub(super) fn reset(&mut self, key: u32, due: u64, now: u64) -> Option<Waker> {
        self.unlink(key);
        self.catch_up(now);
        let present = self.present;
        let timer = self.timer(key);
        if due <= present {
            return timer.waker.take();
        }
        timer.due = due;
        self.link(key);
        None
    }

    /// Whether a timer has fired.
    pub(super) fn has_fired(&self, key: u32) -> bool {
        self.timers[key as usize].place == FIRED
    }

    /// Whether a timer that has not fired would wake the same as `waker`.
    pub(super) fn would_wake(&self, key: u32, waker: &Waker) -> bool {
        self.timers[key as usize].waker.as_ref().is_some_and(|old| old.will_wake(waker))
    }

    /// Gives another waker to a timer that has not fired. The old one is for the caller to drop.
    pub(super) fn replace_waker(&mut self, key: u32, waker: Waker) -> Option<Waker> {
        self.timer(key).waker.replace(waker)
    }

    /// Takes all wakers out, for a wheel that will turn no more.
    pub(super) fn take_wakers(&mut self) -> impl Iterator<Item = Waker> {
        self.timers.iter_mut().filter_map(|(_, timer)| timer.waker.take())
    }

    /// The tick at which the wheel has to be turned next. That is when the next timer is due, or before.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.next_slot().map(|slot| slot.tick)
    }

    /// The tick at which the next timer is due. Takes as long as there are timers in one slot.
    pub(super) fn next_due(&self) -> Option<u64> {
        let slot = self.next_slot()?;
        let first = self.oldest[usize::from(slot.place)];
        let (mut least, mut key) = (u64::MAX, first);
        loop {
            let timer = &self.timers[key as usize];
            least = least.min(timer.due);
            key = timer.newer;
            if key == first {
                return Some(least);
            }
        }
    }

    /// Turns the wheel to the tick `now`, and hands the wakers of what is due to `fired`. Stops after so many
    /// of them; says whether there are more.
    pub(super) fn turn(&mut self, now: u64, mut most: usize, mut fired: impl FnMut(Option<Waker>)) -> bool {
        while let Some(slot) = self.next_slot()
            && slot.tick <= now
        {
            self.present = slot.tick;
            if slot.level > 0 {
                self.move_down(slot);
                continue;
            }
            let key = self.oldest[usize::from(slot.place)];
            if most == 0 {
                return true;
            }
            most -= 1;
            self.unlink(key);
            fired(self.timer(key).waker.take());
        }
        self.present = self.present.max(now);
        false
    }

    /// Turns the wheel to `now` if nothing is to be done on the way (I2, I3).
    fn catch_up(&mut self, now: u64) {
        if self.present < now && self.next_expiry().is_none_or(|next| next > now) {
            self.present = now;
        }
    }

    fn timer(&mut self, key: u32) -> &mut Timer {
        &mut self.timers[key as usize]
    }

    /// The first slot with something in it (I4).
    fn next_slot(&self) -> Option<Slot> {
        if self.levels == 0 {
            return None;
        }
        let level = self.levels.trailing_zeros() as usize;
        let shift = BITS * level as u32;
        let present = self.present >> shift;
        let turned = self.occupied[level].rotate_right(slot_of(present));
        let number = present + u64::from(turned.trailing_zeros());
        Some(Slot { level, place: place(level, slot_of(number)), tick: number << shift })
    }

    /// Where a timer belongs that is due at a tick from the present on.
    fn place_of(&self, due: u64) -> u16 {
        let differing = (self.present ^ due) | (SLOTS as u64 - 1);
        let level = (differing.ilog2() / BITS) as usize;
        place(level, slot_of(due >> (BITS * level as u32)))
    }

    /// Puts a timer into its slot, as the newest.
    fn link(&mut self, key: u32) {
        let place = self.place_of(self.timers[key as usize].due);
        let oldest = self.oldest[usize::from(place)];
        let (older, newer) = if oldest == NONE {
            self.oldest[usize::from(place)] = key;
            self.occupied[usize::from(place) / SLOTS] |= 1 << (usize::from(place) % SLOTS);
            self.levels |= 1 << (usize::from(place) / SLOTS);
            (key, key)
        } else {
            let newest = self.timer(oldest).older;
            self.timer(newest).newer = key;
            self.timer(oldest).older = key;
            (newest, oldest)
        };
        let timer = self.timer(key);
        (timer.older, timer.newer, timer.place) = (older, newer, place);
    }

    /// Takes a timer out of its slot, if it is in one.
    fn unlink(&mut self, key: u32) {
        let timer = self.timer(key);
        let (older, newer, place) = (timer.older, timer.newer, timer.place);
        if place == FIRED {
            return;
        }
        timer.place = FIRED;
        let slot = usize::from(place);
        if newer == key {
            self.oldest[slot] = NONE;
            let level = slot / SLOTS;
            self.occupied[level] &= !(1 << (slot % SLOTS));
            self.levels &= !(u16::from(self.occupied[level] == 0) << level);
            return;
        }
        self.timer(older).newer = newer;
        self.timer(newer).older = older;
        if self.oldest[slot] == key {
            self.oldest[slot] = newer;
        }
    }

    /// The present has come to a slot above level 0: what is in it goes to where it belongs now.
    fn move_down(&mut self, slot: Slot) {
        let place = usize::from(slot.place);
        let newest = self.timers[self.oldest[place] as usize].older;
        loop {
            let key = self.oldest[place];
            self.unlink(key);
            self.link(key);
            // None of them comes back to this slot: it is the one that the present is in (I3).
            if key == newest {
                return;
            }
        }
    }
}

fn slot_of(number: u64) -> u32 {
    (number % SLOTS as u64) as u32
}

fn place(level: usize, slot: u32) -> u16 {
    (level * SLOTS) as u16 + slot as u16
}

#[cfg(all(test, not(heist_loom)))]
mod tests {
    use super::*;
    use std::{
        collections::BTreeMap,
        sync::{Arc, Mutex},
        task::Wake,
    };

    /// Notes its number when it is woken.
    struct Noted(u64, Arc<Mutex<Vec<u64>>>);

    impl Wake for Noted {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    /// A wheel, and beside it what should be in it.
    struct Checked {
        wheel: Wheel,
        now: u64,
        /// By tick and number, the keys.
        pending: BTreeMap<(u64, u64), u32>,
        fired: Vec<u32>,
        log: Arc<Mutex<Vec<u64>>>,
        numbers: u64,
    }

    impl Checked {
        fn new(now: u64) -> Self {
            let mut wheel = Wheel::new();
            assert!(!wheel.turn(now, usize::MAX, |_| panic!("there is nothing in it")));
            Checked {
                wheel,
                now,
                pending: BTreeMap::new(),
                fired: Vec::new(),
                log: Arc::default(),
                numbers: 0,
            }
        }

        fn insert(&mut self, due: u64) {
            let waker = Waker::from(Arc::new(Noted(self.numbers, self.log.clone())));
            let result = self.wheel.insert(due, self.now, waker);
            assert_eq!(result.is_ok(), due > self.now, "due at {due}, now {}", self.now);
            if let Ok(key) = result {
                self.pending.insert((due, self.numbers), key);
            }
            self.numbers += 1;
        }

        fn remove(&mut self, nth: usize) {
            let Some((&id, &key)) = self.pending.iter().nth(nth) else { return };
            self.pending.remove(&id);
            assert!(!self.wheel.has_fired(key));
            assert!(self.wheel.remove(key).is_some());
        }

        fn reset(&mut self, nth: usize, due: u64) {
            let Some((&id, &key)) = self.pending.iter().nth(nth) else { return };
            self.pending.remove(&id);
            match self.wheel.reset(key, due, self.now) {
                Some(_) => {
                    assert!(due <= self.now);
                    self.fired.push(key);
                }
                None => drop(self.pending.insert((due, id.1), key)),
            }
        }

        fn advance(&mut self, by: u64, most: usize) {
            self.now = self.now.saturating_add(by);
            while self.wheel.turn(self.now, most, |waker| waker.expect("not fired yet").wake()) {}
            let later = self.pending.split_off(&(self.now, u64::MAX));
            let due = std::mem::replace(&mut self.pending, later);
            let woken = std::mem::take(&mut *self.log.lock().unwrap());
            // In the order of their ticks; within one tick in any.
            let mut by_number: BTreeMap<u64, u64> =
                due.keys().map(|(tick, number)| (*number, *tick)).collect();
            let ticks: Vec<_> = woken.iter().map(|number| by_number.remove(number).expect("due")).collect();
            assert!(ticks.is_sorted());
            assert!(by_number.is_empty(), "these were due: {by_number:?}");
            self.fired.extend(due.values());
        }

        fn check(&mut self) {
            for key in self.fired.drain(..) {
                assert!(self.wheel.has_fired(key));
                assert!(self.wheel.remove(key).is_none());
            }
            assert_eq!(self.wheel.timers.len(), self.pending.len());
            let next = self.pending.keys().next().map(|(due, _)| *due);
            assert_eq!(self.wheel.next_due(), next);
            let expiry = self.wheel.next_expiry();
            assert_eq!(expiry.is_some(), next.is_some());
            assert!(expiry.is_none_or(|expiry| expiry > self.now && Some(expiry) <= next));
        }
    }

    /// xorshift: the tests need no better.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        fn below(&mut self, end: u64) -> u64 {
            self.next() % end
        }

        /// Of any order of magnitude up to so many bits.
        fn magnitude(&mut self, bits: u64) -> u64 {
            let shift = 64 - 1 - self.below(bits);
            self.next() >> shift
        }
    }

    fn run(seed: u64, start: u64, bits: u64) {
        let mut random = Random(seed);
        let mut checked = Checked::new(start);
        for _ in 0..2000 {
            match random.below(8) {
                0..4 => {
                    let due = checked.now.saturating_add(random.magnitude(bits));
                    checked.insert(due);
                }
                4 => {
                    let nth = random.below(20) as usize;
                    checked.remove(nth);
                }
                5 => {
                    let due = checked.now.saturating_add(random.magnitude(bits));
                    checked.reset(random.below(20) as usize, due);
                }
                _ => {
                    let by = random.magnitude(bits);
                    checked.advance(by, 1 + random.below(5) as usize);
                }
            }
            checked.check();
        }
    }

    #[test]
    fn near_timers_fire_at_their_ticks_and_in_order() {
        (1..30).for_each(|seed| run(seed, 0, 14));
    }

    #[test]
    fn far_timers_fire_at_their_ticks_and_in_order() {
        (1..30).for_each(|seed| run(seed, seed << 20, 45));
    }

    #[test]
    fn timers_at_the_end_of_time_fire_too() {
        for seed in 1..30 {
            run(seed, u64::MAX - (1 << 40), 40);
            run(seed, 0, 64);
        }
    }

    #[test]
    fn every_boundary_between_levels_is_crossed_at_the_right_tick() {
        for level in 0..LEVELS as u32 - 1 {
            let edge = 1 << (BITS * level);
            for start in edge - 1..edge + 2 {
                for distance in [1, 2, edge, edge + 1, 15 * edge, 15 * edge + 1] {
                    let mut checked = Checked::new(start);
                    checked.insert(start + distance);
                    checked.check();
                    checked.advance(distance - 1, 1);
                    checked.check();
                    checked.advance(1, 1);
                    checked.check();
                }
            }
        }
    }

    #[test]
    fn timers_of_one_tick_fire_oldest_first() {
        let mut checked = Checked::new(5);
        (0..100).for_each(|_| checked.insert(7));
        checked.wheel.turn(7, usize::MAX, |waker| waker.unwrap().wake());
        assert!(checked.log.lock().unwrap().iter().copied().eq(0..100));
    }

    #[test]
    fn no_more_than_asked_for_fire_at_once() {
        let mut checked = Checked::new(0);
        (0..10).for_each(|_| checked.insert(1));
        let mut fired = 0;
        assert!(checked.wheel.turn(1, 4, |_| fired += 1));
        assert!(checked.wheel.turn(1, 4, |_| fired += 1));
        assert_eq!((fired, checked.wheel.next_expiry()), (8, Some(1)));
        assert!(!checked.wheel.turn(1, 4, |_| fired += 1));
        assert_eq!((fired, checked.wheel.next_expiry()), (10, None));
    }

    #[test]
    fn a_wheel_that_was_left_alone_does_not_ask_to_be_turned_too_soon() {
        let mut wheel = Wheel::new();
        wheel.insert(10_000_000, 0, Waker::noop().clone()).unwrap();
        wheel.insert(5_000_010, 5_000_000, Waker::noop().clone()).unwrap();
        assert!(wheel.next_expiry().unwrap() > 5_000_000);
    }

    #[test]
    fn the_memory_of_many_timers_is_given_back() {
        let mut wheel = Wheel::new();
        let keys: Vec<_> =
            (0..10_000).map(|n| wheel.insert(1 + n, 0, Waker::noop().clone()).unwrap()).collect();
        assert!(wheel.timers.capacity() >= 10_000);
        keys.into_iter().for_each(|key| drop(wheel.remove(key)));
        assert!(wheel.timers.capacity() <= KEPT);
    }
}
