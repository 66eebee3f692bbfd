//! Collections out of parallel iterators: `collect`, `par_extend`, `collect_into_vec`, `unzip_into_vecs`.
//!
//! Items whose number is known beforehand go [straight to their places](slots); others are gathered leaf by
//! leaf [in a list of vectors](list), and then moved. Collections that are not vectors are extended with such
//! vectors, one after another, by the calling thread.

mod extend;
mod from;
mod list;
mod slots;
mod text;

use super::{IndexedParallelIterator, ParallelIterator, unzip::drive_both};
use std::collections::LinkedList;

/// `collect_into_vec`.
pub(super) fn into_vec<I: IndexedParallelIterator>(items: I, vec: &mut Vec<I::Item>) {
    vec.clear();
    let len = items.len();
    slots::append(vec, len, |slots| items.drive(slots));
}

/// `unzip_into_vecs`.
pub(super) fn into_vecs<I, A, B>(items: I, left: &mut Vec<A>, right: &mut Vec<B>)
where
    I: IndexedParallelIterator<Item = (A, B)>,
    A: Send,
    B: Send,
{
    left.clear();
    right.clear();
    let len = items.len();
    slots::append(left, len, |to_left| {
        let mut filled = None;
        slots::append(right, len, |to_right| {
            let (left, right) = drive_both(items, to_left, to_right);
            filled = Some(left);
            right
        });
        filled.expect("`append` calls its closure")
    });
}

/// `collect_vec_list`: the items, in order, in vectors of whatever lengths come about.
pub(super) fn vectors<I: ParallelIterator>(items: I) -> LinkedList<Vec<I::Item>> {
    let Some(len) = items.opt_len() else { return list::gather(items) };
    // Driven even if there are none: somebody may rely on it.
    let mut vec = Vec::new();
    slots::append(&mut vec, len, |slots| items.drive_unindexed(slots));
    if vec.is_empty() { LinkedList::new() } else { LinkedList::from([vec]) }
}
