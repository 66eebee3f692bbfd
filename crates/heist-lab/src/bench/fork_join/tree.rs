//! An unbalanced tree with coarse leaves, after UTS (unbalanced tree search).
//!
//! A node's hash decides how many children it has, so nobody knows the size of a subtree before
//! walking it. Only leaves work, some ten microseconds each: what counts is that idle workers get
//! their share of the few big subtrees, not what a fork costs.

use std::hint::black_box;
use std::ops::Range;

use super::Work;
use crate::bench::library::ForkJoin;

const ROOT: Node = Node { hash: 45, height: 8 };

/// Steps of a leaf's work: between this and twice this, by its hash.
const LEAF_STEPS: u64 = 5_000;

pub struct Tree {
    expected: Count,
}

impl Tree {
    pub fn new() -> Self {
        Self { expected: count(ROOT) }
    }
}

impl Work for Tree {
    const NAME: &'static str = "unbalanced tree";
    type Output = Count;

    fn run<L: ForkJoin>(&self, place: &mut L::Place<'_>) -> Count {
        walk::<L>(place, black_box(ROOT))
    }

    fn is_right(&self, output: &Count) -> bool {
        *output == self.expected
    }
}

/// How big a tree is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    nodes: u64,
    leaves: u64,
}

impl std::ops::Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { nodes: self.nodes + other.nodes, leaves: self.leaves + other.leaves }
    }
}

#[derive(Clone, Copy)]
struct Node {
    hash: u64,
    /// Levels that may still follow.
    height: u32,
}

impl Node {
    /// Three on average, geometrically distributed: another one with a probability of 3/4.
    fn children(self) -> u64 {
        if self.height == 0 {
            return 0;
        }
        let mut draws = (0..32).map(|draw| mixed(self.hash) >> (2 * draw) & 3);
        draws.position(|draw| draw == 0).unwrap_or(32) as u64
    }

    fn child(self, index: u64) -> Self {
        Self { hash: mixed(self.hash ^ mixed(index + 1)), height: self.height - 1 }
    }

    const COUNT: Count = Count { nodes: 1, leaves: 0 };
    const LEAF_COUNT: Count = Count { nodes: 1, leaves: 1 };

    fn work(self) {
        let steps = LEAF_STEPS + self.hash % LEAF_STEPS;
        let hash = (0..steps).fold(self.hash, |hash, step| mixed(hash ^ step));
        black_box(hash);
    }
}

/// The output function of SplitMix64.
fn mixed(hash: u64) -> u64 {
    let hash = hash.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

fn walk<L: ForkJoin>(place: &mut L::Place<'_>, node: Node) -> Count {
    match node.children() {
        0 => {
            node.work();
            Node::LEAF_COUNT
        }
        children => Node::COUNT + walk_children::<L>(place, node, 0..children),
    }
}

fn walk_children<L: ForkJoin>(place: &mut L::Place<'_>, node: Node, children: Range<u64>) -> Count {
    let Range { start, end } = children;
    if end - start == 1 {
        return walk::<L>(place, node.child(start));
    }
    let middle = start.midpoint(end);
    let (a, b) = L::join(
        place,
        |place| walk_children::<L>(place, node, start..middle),
        |place| walk_children::<L>(place, node, middle..end),
    );
    a + b
}

/// The size of the tree, without the work.
fn count(node: Node) -> Count {
    match node.children() {
        0 => Node::LEAF_COUNT,
        children => (0..children).fold(Node::COUNT, |sum, i| sum + count(node.child(i))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_some_thousand_nodes() {
        let Count { nodes, leaves } = count(ROOT);
        assert!((2_000..6_000).contains(&nodes), "{nodes}");
        assert!((1_000..3_000).contains(&leaves), "{leaves}");
    }

    #[test]
    fn the_tree_is_unbalanced() {
        let sizes: Vec<u64> = (0..ROOT.children()).map(|i| count(ROOT.child(i)).nodes).collect();
        let (small, big) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
        assert!(sizes.len() >= 3 && big > &(10 * small), "{sizes:?}");
    }
}
