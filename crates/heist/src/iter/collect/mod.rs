//! Collections out of parallel iterators: `collect`, `par_extend`, `collect_into_vec`, `unzip_into_vecs`.
//!
//! Items whose number is known beforehand go [straight to their places](slots); others are gathered leaf by
//! leaf [in a list of vectors](list), and then moved.

mod list;
mod slots;

use super::{
    FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator,
};

pub(super) use list::vectors;

/// `collect_into_vec`.
pub(super) fn into_vec<I: IndexedParallelIterator>(items: I, vec: &mut Vec<I::Item>) {
    vec.clear();
    let len = items.len();
    slots::append(vec, len, |slots| items.drive(slots));
}

impl<T: Send> ParallelExtend<T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, par_iter: I) {
        let items = par_iter.into_par_iter();
        if let Some(len) = items.opt_len() {
            return slots::append(self, len, |slots| items.drive_unindexed(slots));
        }
        let list = vectors(items);
        self.reserve(list.iter().map(Vec::len).sum());
        for mut leaf in list {
            self.append(&mut leaf);
        }
    }
}

impl<T: Send> FromParallelIterator<T> for Vec<T> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(par_iter: I) -> Self {
        let mut vec = Vec::new();
        vec.par_extend(par_iter);
        vec
    }
}
