//! Iterators out of thin air: `empty`, `once`, `repeat`, `repeat_n`.

use super::{
    IndexedParallelIterator, ParallelIterator,
    plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge},
};

/// A value, cloned a number of times; made by [`repeat_n`].
#[derive(Debug, Clone)]
pub struct RepeatN<T> {
    item: T,
    count: usize,
}

/// Clones of `element`, `n` of them.
pub fn repeat_n<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    RepeatN { item: element, count: n }
}

impl<T: Clone + Send> ParallelIterator for RepeatN<T> {
    type Item = T;

    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.count)
    }
}

impl<T: Clone + Send> IndexedParallelIterator for RepeatN<T> {
    fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn len(&self) -> usize {
        self.count
    }

    fn with_producer<CB: ProducerCallback<T>>(self, callback: CB) -> CB::Output {
        callback.callback(self)
    }
}

impl<T: Clone + Send> Producer for RepeatN<T> {
    type Item = T;
    type IntoIter = std::iter::RepeatN<T>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::repeat_n(self.item, self.count)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let item = self.item.clone();
        (RepeatN { item, count: index }, RepeatN { item: self.item, count: self.count - index })
    }
}
