//! Strings out of parallel iterators.

use super::{list::gather, vectors};
use crate::iter::{FromParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator};
use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
};

/// Appends strings, after making room for all of them.
fn append<S>(string: &mut String, items: impl IntoParallelIterator<Item = S>)
where
    S: AsRef<str> + Send,
    String: Extend<S>,
{
    let vectors = vectors(items.into_par_iter());
    string.reserve(vectors.iter().flatten().map(|part| part.as_ref().len()).sum());
    for parts in vectors {
        string.extend(parts);
    }
}

fn append_os<S>(string: &mut OsString, items: impl IntoParallelIterator<Item = S>)
where
    S: AsRef<OsStr> + Send,
    OsString: Extend<S>,
{
    let vectors = vectors(items.into_par_iter());
    string.reserve(vectors.iter().flatten().map(|part| part.as_ref().len()).sum());
    for parts in vectors {
        string.extend(parts);
    }
}

/// Appends the characters in their order.
impl ParallelExtend<char> for String {
    fn par_extend<I: IntoParallelIterator<Item = char>>(&mut self, par_iter: I) {
        let leaves = gather::<String, _>(par_iter.into_par_iter());
        self.reserve(leaves.iter().map(String::len).sum());
        self.extend(leaves);
    }
}

/// Appends the characters in their order.
impl<'a> ParallelExtend<&'a char> for String {
    fn par_extend<I: IntoParallelIterator<Item = &'a char>>(&mut self, par_iter: I) {
        self.par_extend(par_iter.into_par_iter().copied());
    }
}

/// Appends the strings in their order.
impl<'a> ParallelExtend<&'a str> for String {
    fn par_extend<I: IntoParallelIterator<Item = &'a str>>(&mut self, par_iter: I) {
        append(self, par_iter);
    }
}

/// Appends the strings in their order.
impl ParallelExtend<String> for String {
    fn par_extend<I: IntoParallelIterator<Item = String>>(&mut self, par_iter: I) {
        append(self, par_iter);
    }
}

/// Appends the strings in their order.
impl ParallelExtend<Box<str>> for String {
    fn par_extend<I: IntoParallelIterator<Item = Box<str>>>(&mut self, par_iter: I) {
        append(self, par_iter);
    }
}

/// Appends the strings in their order.
impl<'a> ParallelExtend<Cow<'a, str>> for String {
    fn par_extend<I: IntoParallelIterator<Item = Cow<'a, str>>>(&mut self, par_iter: I) {
        append(self, par_iter);
    }
}

/// Appends the strings in their order.
impl<'a> ParallelExtend<&'a OsStr> for OsString {
    fn par_extend<I: IntoParallelIterator<Item = &'a OsStr>>(&mut self, par_iter: I) {
        append_os(self, par_iter);
    }
}

/// Appends the strings in their order.
impl ParallelExtend<OsString> for OsString {
    fn par_extend<I: IntoParallelIterator<Item = OsString>>(&mut self, par_iter: I) {
        append_os(self, par_iter);
    }
}

/// Appends the strings in their order.
impl<'a> ParallelExtend<Cow<'a, OsStr>> for OsString {
    fn par_extend<I: IntoParallelIterator<Item = Cow<'a, OsStr>>>(&mut self, par_iter: I) {
        append_os(self, par_iter);
    }
}

/// Strings, and boxed strings, of something that a string can be extended with.
macro_rules! collect_text {
    ($item:ty $(, $life:lifetime)?) => {
        /// Concatenates the items in their order.
        impl$(<$life>)? FromParallelIterator<$item> for String {
            fn from_par_iter<I: IntoParallelIterator<Item = $item>>(par_iter: I) -> Self {
                let mut string = String::new();
                string.par_extend(par_iter);
                string
            }
        }

        /// Concatenates the items in their order.
        impl$(<$life>)? FromParallelIterator<$item> for Box<str> {
            fn from_par_iter<I: IntoParallelIterator<Item = $item>>(par_iter: I) -> Self {
                String::from_par_iter(par_iter).into_boxed_str()
            }
        }
    };
}

collect_text!(char);
collect_text!(&'a char, 'a);
collect_text!(&'a str, 'a);
collect_text!(String);
collect_text!(Box<str>);
collect_text!(Cow<'a, str>, 'a);

/// Concatenates the items in their order.
impl<'a> FromParallelIterator<&'a OsStr> for OsString {
    fn from_par_iter<I: IntoParallelIterator<Item = &'a OsStr>>(par_iter: I) -> Self {
        let mut string = OsString::new();
        string.par_extend(par_iter);
        string
    }
}

/// Concatenates the items in their order.
impl FromParallelIterator<OsString> for OsString {
    fn from_par_iter<I: IntoParallelIterator<Item = OsString>>(par_iter: I) -> Self {
        let mut string = OsString::new();
        string.par_extend(par_iter);
        string
    }
}

/// Concatenates the items in their order.
impl<'a> FromParallelIterator<Cow<'a, OsStr>> for OsString {
    fn from_par_iter<I: IntoParallelIterator<Item = Cow<'a, OsStr>>>(par_iter: I) -> Self {
        let mut string = OsString::new();
        string.par_extend(par_iter);
        string
    }
}
