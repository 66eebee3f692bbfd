//! What `&[T]` and `&mut [T]` have in common, so that iterators over either are written once.

/// A slice, shared or exclusive.
pub(super) trait AnySlice: Send + Sized + Default {
    /// What it consists of.
    type Element;

    /// To look at the elements.
    fn get(&self) -> &[Self::Element];

    /// The first `mid` elements and the others.
    fn cut(self, mid: usize) -> (Self, Self);
}

impl<T: Sync> AnySlice for &[T] {
    type Element = T;

    fn get(&self) -> &[T] {
        self
    }

    fn cut(self, mid: usize) -> (Self, Self) {
        self.split_at(mid)
    }
}

impl<T: Send> AnySlice for &mut [T] {
    type Element = T;

    fn get(&self) -> &[T] {
        self
    }

    fn cut(self, mid: usize) -> (Self, Self) {
        self.split_at_mut(mid)
    }
}
