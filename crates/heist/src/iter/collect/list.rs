//! A consumer for items of unknown number: each leaf fills a vector, and the vectors are strung together.

use crate::iter::{
    ParallelIterator,
    plumbing::{Consumer, Folder, Reducer, UnindexedConsumer},
};
use std::collections::LinkedList;

/// Collects into vectors of whatever lengths come about, none of them empty.
pub(in crate::iter) fn vectors<I: ParallelIterator>(items: I) -> LinkedList<Vec<I::Item>> {
    items.drive_unindexed(Leaves)
}

/// Appending lists takes a moment, however long they are: that is why leaves are kept in one.
pub(super) struct Append;

impl<T> Reducer<LinkedList<T>> for Append {
    fn reduce(self, mut left: LinkedList<T>, mut right: LinkedList<T>) -> LinkedList<T> {
        left.append(&mut right);
        left
    }
}

struct Leaves;

impl<T: Send> Consumer<T> for Leaves {
    type Folder = Leaf<T>;
    type Reducer = Append;
    type Result = LinkedList<Vec<T>>;

    fn split_at(self, _index: usize) -> (Self, Self, Append) {
        (Leaves, Leaves, Append)
    }

    fn into_folder(self) -> Leaf<T> {
        Leaf(Vec::new())
    }

    fn full(&self) -> bool {
        false
    }
}

impl<T: Send> UnindexedConsumer<T> for Leaves {
    fn split_off_left(&self) -> Self {
        Leaves
    }

    fn to_reducer(&self) -> Append {
        Append
    }
}

struct Leaf<T>(Vec<T>);

impl<T> Folder<T> for Leaf<T> {
    type Result = LinkedList<Vec<T>>;

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

    fn complete(self) -> LinkedList<Vec<T>> {
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
