//! Parallel iterators over the collections of the standard library.
//!
//! One module each, whose types rarely need to be named. Only [`vec_deque`] and [`binary_heap`] lie in memory
//! in a way that can be cut. The items, or references to them, of the others are first put into a vector, one
//! after the other: that is quick next to doing anything with them.

/// A type that yields the items of a collection by way of a vector.
macro_rules! via_vec {
    (
        $(#[$doc:meta])*
        $name:ident<$($lifetime:lifetime,)? $($param:ident),*>($item:ty):
        impl[$($generics:tt)*] for $collection:ty where [$($bounds:tt)*]
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<$($lifetime,)? $($param),*> {
            inner: $crate::vec::IntoIter<$item>,
        }

        impl<$($generics)*> $crate::iter::IntoParallelIterator for $collection {
            type Item = $item;
            type Iter = $name<$($lifetime,)? $($param),*>;

            fn into_par_iter(self) -> Self::Iter {
                let items: Vec<_> = self.into_iter().collect();
                $name { inner: items.into_par_iter() }
            }
        }

        delegated_indexed! { impl[$($bounds)*] $name<$($lifetime,)? $($param),*> => $item }
    };
}

/// As [`via_vec`], for shared references, which can be cloned.
macro_rules! refs_via_vec {
    ($(#[$doc:meta])* $name:ident<$lifetime:lifetime, $($param:ident),*> $($rest:tt)*) => {
        via_vec! { $(#[$doc])* $name<$lifetime, $($param),*> $($rest)* }

        impl<$($param),*> Clone for $name<'_, $($param),*> {
            fn clone(&self) -> Self {
                $name { inner: self.inner.clone() }
            }
        }
    };
}

/// A type that has emptied a collection.
macro_rules! drain_via_vec {
    (
        $(#[$doc:meta])*
        $name:ident<$($param:ident),*>($item:ty): impl[$($generics:tt)*] for $collection:ty
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'a, $($param),*> {
            inner: $crate::vec::IntoIter<$item>,
            collection: std::marker::PhantomData<&'a mut $item>,
        }

        impl<'a, $($generics)*> $crate::iter::ParallelDrainFull for &'a mut $collection {
            type Item = $item;
            type Iter = $name<'a, $($param),*>;

            fn par_drain(self) -> Self::Iter {
                let items: Vec<_> = self.drain().collect();
                $name {
                    inner: $crate::iter::IntoParallelIterator::into_par_iter(items),
                    collection: std::marker::PhantomData,
                }
            }
        }

        delegated_indexed! { impl[$($param: Send),*] $name<'_, $($param),*> => $item }
    };
}

pub mod binary_heap;
pub mod btree_map;
pub mod btree_set;
pub mod hash_map;
pub mod hash_set;
pub mod linked_list;
pub mod vec_deque;
