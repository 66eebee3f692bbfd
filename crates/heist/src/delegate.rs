//! The impls that parallel iterators repeat, once.
//!
//! A source has a public name of its own, but most of them work in one of three ways: they are a producer
//! with a known length, or a producer without, or a thin wrapper around another iterator. Each way is a macro
//! here. The generics come in brackets: `indexed_source! { impl['data, T: Sync] Chunks<'data, T> }`.

/// For a type with `fn into_producer(self) -> impl Producer<Item = …>` and `fn item_count(&self) -> usize`.
macro_rules! indexed_source {
    (impl[$($generics:tt)*] $name:ty => $item:ty) => {
        impl<$($generics)*> $crate::iter::ParallelIterator for $name {
            type Item = $item;

            #[inline]
            fn drive_unindexed<C>(self, consumer: C) -> C::Result
            where
                C: $crate::iter::plumbing::UnindexedConsumer<Self::Item>,
            {
                $crate::iter::plumbing::bridge(self, consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.item_count())
            }
        }

        impl<$($generics)*> $crate::iter::IndexedParallelIterator for $name {
            fn len(&self) -> usize {
                self.item_count()
            }

            #[inline]
            fn drive<C>(self, consumer: C) -> C::Result
            where
                C: $crate::iter::plumbing::Consumer<Self::Item>,
            {
                $crate::iter::plumbing::bridge(self, consumer)
            }

            #[inline]
            fn with_producer<CB>(self, callback: CB) -> CB::Output
            where
                CB: $crate::iter::plumbing::ProducerCallback<Self::Item>,
            {
                callback.callback(self.into_producer())
            }
        }
    };
}

/// For a type with `fn producer(&mut self) -> impl UnindexedProducer<Item = …>`.
///
/// The producer takes the data out and refers to the closures, which stay.
macro_rules! unindexed_source {
    (impl[$($generics:tt)*] $name:ty => $item:ty) => {
        impl<$($generics)*> $crate::iter::ParallelIterator for $name {
            type Item = $item;

            fn drive_unindexed<C>(mut self, consumer: C) -> C::Result
            where
                C: $crate::iter::plumbing::UnindexedConsumer<Self::Item>,
            {
                $crate::iter::plumbing::bridge_unindexed(self.producer(), consumer)
            }
        }
    };
}

/// For a type whose field `inner` is an iterator of the same items.
macro_rules! delegated {
    (impl[$($generics:tt)*] $name:ty => $item:ty) => {
        impl<$($generics)*> $crate::iter::ParallelIterator for $name {
            type Item = $item;

            fn drive_unindexed<C>(self, consumer: C) -> C::Result
            where
                C: $crate::iter::plumbing::UnindexedConsumer<Self::Item>,
            {
                self.inner.drive_unindexed(consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                self.inner.opt_len()
            }
        }
    };
}

/// As [`delegated`], for indexed iterators.
macro_rules! delegated_indexed {
    (impl[$($generics:tt)*] $name:ty => $item:ty) => {
        delegated! { impl[$($generics)*] $name => $item }

        impl<$($generics)*> $crate::iter::IndexedParallelIterator for $name {
            fn len(&self) -> usize {
                self.inner.len()
            }

            fn drive<C>(self, consumer: C) -> C::Result
            where
                C: $crate::iter::plumbing::Consumer<Self::Item>,
            {
                self.inner.drive(consumer)
            }

            fn with_producer<CB>(self, callback: CB) -> CB::Output
            where
                CB: $crate::iter::plumbing::ProducerCallback<Self::Item>,
            {
                self.inner.with_producer(callback)
            }
        }
    };
}
