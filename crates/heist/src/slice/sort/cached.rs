//! Sorts by keys that are expensive to compute: each is computed once.

use super::sort_unstable;
use crate::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

/// Sorts `v` by `key`; elements with equal keys keep their order.
pub(in crate::slice) fn sort_by_cached_key<T, K, F>(v: &mut [T], key: F)
where
    T: Send,
    K: Ord + Send,
    F: Fn(&T) -> K + Sync,
{
    if v.len() < 2 {
        return;
    }
    // Places of 32 bits make smaller pairs, where they suffice.
    if u32::try_from(v.len()).is_ok() {
        sort_by_places::<T, K, u32>(v, key);
    } else {
        sort_by_places::<T, K, usize>(v, key);
    }
}

/// As above, with the elements' places in numbers of type `P`.
fn sort_by_places<T, K, P>(v: &mut [T], key: impl Fn(&T) -> K + Sync)
where
    T: Send,
    K: Ord + Send,
    P: TryFrom<usize> + TryInto<usize> + Copy + Ord + Send,
{
    let place = |i: usize| P::try_from(i).ok().expect("chosen to fit");
    let mut keys: Vec<(K, P)> = v.par_iter_mut().enumerate().map(|(i, x)| (key(x), place(i))).collect();
    // No two pairs are equal, so an unstable sort is as good.
    sort_unstable(&mut keys);
    // The keys go first: should one panic as it is dropped, nothing has moved yet.
    let mut from: Vec<P> = keys.into_iter().map(|(_, place)| place).collect();

    for start in 0..v.len() {
        // Walks one cycle. Each place is given what belongs there; what was there goes on to where that came
        // from, which is the next place to be set right.
        let mut to = start;
        loop {
            let next = from[to].try_into().ok().expect("was a usize");
            from[to] = place(to);
            if next == start {
                break;
            }
            v.swap(to, next);
            to = next;
        }
    }
}
