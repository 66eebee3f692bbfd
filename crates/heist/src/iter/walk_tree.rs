//! Walks over trees: `walk_tree`, `walk_tree_prefix`, `walk_tree_postfix`.
//!
//! A piece of the walk is a row of subtrees that are still to be visited, and nodes whose children are
//! already in the row: in prefix order these come before it, in postfix order behind. A cut divides the row;
//! a row of one tree is first replaced by that tree's children.
//!
//! ```text
//!        a              prefix:  a | [b] [c]      cut:  a | [b]   and   [c]
//!      b   c            postfix: [b] [c] | a      cut:  [b]       and   [c] | a
//!     d e f g
//! ```

use super::{
    ParallelIterator,
    plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed},
};
use std::fmt::{self, Debug};

/// Nodes, each before its children; made by [`walk_tree_prefix`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct WalkTreePrefix<S, B> {
    root: S,
    children_of: B,
}

/// Nodes, each behind its children; made by [`walk_tree_postfix`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct WalkTreePostfix<S, B> {
    root: S,
    children_of: B,
}

/// Nodes in an order of the library's choice; made by [`walk_tree`].
#[must_use = "a parallel iterator does nothing until it is consumed"]
#[derive(Clone)]
pub struct WalkTree<S, B>(WalkTreePostfix<S, B>);

/// Walks a tree from `root`, in prefix order: a node, then what is below it, child by child.
///
/// ```
/// use heist::prelude::*;
///
/// // Children of a number are its double and one more, as in a heap.
/// let children = |n: &u32| [2 * n, 2 * n + 1].into_iter().filter(|&n| n < 8);
/// let nodes: Vec<u32> = heist::iter::walk_tree_prefix(1, children).collect();
/// assert_eq!(nodes, [1, 2, 4, 5, 3, 6, 7]);
/// ```
///
/// Trees that are mostly one long branch leave little to share out.
pub fn walk_tree_prefix<S, B, I>(root: S, children_of: B) -> WalkTreePrefix<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S, IntoIter: DoubleEndedIterator>,
{
    WalkTreePrefix { root, children_of }
}

/// Walks a tree from `root`, in postfix order: what is below a node, child by child, then the node.
///
/// ```
/// use heist::prelude::*;
///
/// let children = |n: &u32| [2 * n, 2 * n + 1].into_iter().filter(|&n| n < 8);
/// let nodes: Vec<u32> = heist::iter::walk_tree_postfix(1, children).collect();
/// assert_eq!(nodes, [4, 5, 2, 6, 7, 3, 1]);
/// ```
pub fn walk_tree_postfix<S, B, I>(root: S, children_of: B) -> WalkTreePostfix<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S>,
{
    WalkTreePostfix { root, children_of }
}

/// Walks a tree from `root`, in whatever order is fastest.
///
/// ```
/// use heist::prelude::*;
///
/// let children = |n: &u32| [2 * n, 2 * n + 1].into_iter().filter(|&n| n < 8);
/// assert_eq!(heist::iter::walk_tree(1, children).sum::<u32>(), 28);
/// ```
pub fn walk_tree<S, B, I>(root: S, children_of: B) -> WalkTree<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S, IntoIter: DoubleEndedIterator>,
{
    WalkTree(WalkTreePostfix { root, children_of })
}

impl<S: Debug, B> Debug for WalkTreePrefix<S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalkTreePrefix").field("root", &self.root).finish_non_exhaustive()
    }
}

impl<S: Debug, B> Debug for WalkTreePostfix<S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalkTreePostfix").field("root", &self.root).finish_non_exhaustive()
    }
}

impl<S: Debug, B> Debug for WalkTree<S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalkTree").field("root", &self.0.root).finish_non_exhaustive()
    }
}

impl<S, B, I> ParallelIterator for WalkTreePrefix<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S, IntoIter: DoubleEndedIterator>,
{
    type Item = S;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<S>>(self, consumer: C) -> C::Result {
        bridge_unindexed(Prefix(Walk::new(self.root, &self.children_of)), consumer)
    }
}

impl<S, B, I> ParallelIterator for WalkTreePostfix<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S>,
{
    type Item = S;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<S>>(self, consumer: C) -> C::Result {
        bridge_unindexed(Postfix(Walk::new(self.root, &self.children_of)), consumer)
    }
}

impl<S, B, I> ParallelIterator for WalkTree<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S, IntoIter: DoubleEndedIterator> + Send,
{
    type Item = S;

    #[inline]
    fn drive_unindexed<C: UnindexedConsumer<S>>(self, consumer: C) -> C::Result {
        self.0.drive_unindexed(consumer)
    }
}

/// A piece of a walk.
struct Walk<'b, S, B> {
    children_of: &'b B,
    /// The roots of the subtrees to visit; the last is visited first.
    row: Vec<S>,
    /// Nodes whose children are in the row, each the parent of the next.
    opened: Vec<S>,
}

impl<'b, S, B, I> Walk<'b, S, B>
where
    B: Fn(&S) -> I,
    I: IntoIterator<Item = S>,
{
    fn new(root: S, children_of: &'b B) -> Self {
        Walk { children_of, row: vec![root], opened: Vec::new() }
    }

    /// Opens nodes until the row can be divided, or there is none.
    fn open(&mut self) {
        while self.row.len() == 1
            && let Some(node) = self.row.pop()
        {
            push_children(&mut self.row, (self.children_of)(&node));
            self.opened.push(node);
        }
    }

    /// Takes the later half of the row away.
    fn cut(&mut self) -> Option<Walk<'b, S, B>> {
        self.open();
        let half = self.row.len() / 2;
        if half == 0 {
            return None;
        }
        let earlier = self.row.split_off(half);
        let later = std::mem::replace(&mut self.row, earlier);
        Some(Walk { children_of: self.children_of, row: later, opened: Vec::new() })
    }
}

/// Pushes nodes so that the first is popped first.
fn push_children<S>(row: &mut Vec<S>, children: impl IntoIterator<Item = S>) {
    let begin = row.len();
    row.extend(children);
    row[begin..].reverse();
}

struct Prefix<'b, S, B>(Walk<'b, S, B>);

impl<S, B, I> UnindexedProducer for Prefix<'_, S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S>,
{
    type Item = S;

    fn split(mut self) -> (Self, Option<Self>) {
        let later = self.0.cut();
        (self, later.map(Prefix))
    }

    fn fold_with<F: Folder<S>>(self, folder: F) -> F {
        let Walk { children_of, mut row, opened } = self.0;
        let mut folder = folder.consume_iter(opened);
        while !folder.full()
            && let Some(node) = row.pop()
        {
            push_children(&mut row, children_of(&node));
            folder = folder.consume(node);
        }
        folder
    }
}

struct Postfix<'b, S, B>(Walk<'b, S, B>);

impl<S, B, I> UnindexedProducer for Postfix<'_, S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S>,
{
    type Item = S;

    fn split(mut self) -> (Self, Option<Self>) {
        let later = self.0.cut();
        let later = later.map(|mut later| {
            // They come behind all of the row.
            later.opened = std::mem::take(&mut self.0.opened);
            Postfix(later)
        });
        (self, later)
    }

    fn fold_with<F: Folder<S>>(self, mut folder: F) -> F {
        let Walk { children_of, row, opened } = self.0;
        // A node is pushed a second time, now without its children, below them.
        let mut stack: Vec<(S, bool)> = row.into_iter().map(|node| (node, true)).collect();
        while !folder.full()
            && let Some((node, with_children)) = stack.pop()
        {
            if !with_children {
                folder = folder.consume(node);
                continue;
            }
            let children = children_of(&node);
            stack.push((node, false));
            push_children(&mut stack, children.into_iter().map(|child| (child, true)));
        }
        if folder.full() {
            return folder;
        }
        folder.consume_iter(opened.into_iter().rev())
    }
}
