//! A consumer for items of unknown number: each leaf fills a vector, or another [`Leaf`], and the leaves are
//! strung together.

use crate::iter::{
    ParallelIterator,
    plumbing::{Consumer, Folder, Reducer, UnindexedConsumer},
};
use std::{collections::LinkedList, marker::PhantomData};

/// Collects into leaves of whatever lengths come about, none of them empty.
pub(super) fn gather<L: Leaf<I::Item>, I: ParallelIterator>(items: I) -> LinkedList<L> {
    items.drive_unindexed(Leaves(PhantomData))
}

/// A collection that one leaf fills by itself.
pub(super) trait Leaf<T>: Default + Extend<T> + Send {
    fn push(&mut self, item: T);
    fn is_empty(&self) -> bool;
}

impl<T: Send> Leaf<T> for Vec<T> {
    #[inline]
    fn push(&mut self, item: T) {
        self.push(item);
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl Leaf<char> for String {
    #[inline]
    fn push(&mut self, item: char) {
        self.push(item);
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

struct Leaves<L>(PhantomData<fn() -> L>);

impl<T, L: Leaf<T>> Consumer<T> for Leaves<L> {
    type Folder = Filling<L>;
    type Reducer = Append;
    type Result = LinkedList<L>;

    fn split_at(self, _index: usize) -> (Self, Self, Append) {
        (Leaves(PhantomData), self, Append)
    }

    fn into_folder(self) -> Filling<L> {
        Filling(L::default())
    }

    fn full(&self) -> bool {
        false
    }
}

impl<T, L: Leaf<T>> UnindexedConsumer<T> for Leaves<L> {
    fn split_off_left(&self) -> Self {
        Leaves(PhantomData)
    }

    fn to_reducer(&self) -> Append {
        Append
    }
}

struct Filling<L>(L);

impl<T, L: Leaf<T>> Folder<T> for Filling<L> {
    type Result = LinkedList<L>;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.0.push(item);
        self
    }

    #[inline]
    fn consume_iter<I: IntoIterator<Item = T>>(mut self, items: I) -> Self {
        self.0.extend(items);
        self
    }

    fn complete(self) -> LinkedList<L> {
        let mut list = LinkedList::new();
        if !self.0.is_empty() {
            list.push_back(self.0);
        }
        list
    }

    #[inline]
    fn full(&self) -> bool {
        false
    }
}

/// To append a list takes a moment, however long it is: that is why leaves are kept in one.
struct Append;

impl<T> Reducer<LinkedList<T>> for Append {
    fn reduce(self, mut left: LinkedList<T>, mut right: LinkedList<T>) -> LinkedList<T> {
        left.append(&mut right);
        left
    }
}
