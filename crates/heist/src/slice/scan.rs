//! Prefix sums in place, for any associative operator.
//!
//! One thread needs one pass. A thief that takes later blocks does not know yet what comes before them, so it
//! begins anew, as if nothing did. What it lacks is put in front of its elements in a second pass, which goes
//! over nothing else:
//!
//! ```text
//! blocks   0 1 2 3 4 5 6 7
//! base     0 0 0 0 4 4 6 6    block 4 was stolen, and then block 6 from the thief
//! ```
//!
//! # Invariants
//! C1 A block's elements, but for its last, are sums from the first of block `base` on.
//! C2 Between two passes, the last elements of all blocks are sums from the very first element on: they are
//!    what the second pass puts in front of others.

use super::sort::leaf_len;
use crate::iter::{IntoParallelIterator, ParallelIterator};
use heist_core::{join, join_context, scope};
use std::mem;

/// Blocks have no fewer elements than this.
const SHORT: usize = 256;

/// Replaces each element by the sum of all up to and including it.
pub(super) fn inclusive<T, F>(v: &mut [T], op: &F)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    scan(v, None, op);
}

/// Replaces each element by the sum of `identity` and all before it, and returns the sum of all.
pub(super) fn exclusive<T, F>(v: &mut [T], identity: T, op: &F) -> T
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    scan(v, Some(&identity), op);
    if v.is_empty() {
        return identity;
    }
    rotate_by_one(v, block_len(v.len()));
    mem::replace(&mut v[0], identity)
}

fn block_len(len: usize) -> usize {
    leaf_len(len, 16).max(SHORT)
}

/// Some neighbouring elements.
struct Block<'a, T> {
    /// All but the last.
    others: &'a mut [T],
    last: &'a mut T,
    base: usize,
}

/// Scans `v`, with `before` in front of it.
fn scan<T, F>(v: &mut [T], before: Option<&T>, op: &F)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    let mut blocks: Vec<Block<'_, T>> = Vec::new();
    for block in v.chunks_mut(block_len(v.len())) {
        let (last, others) = block.split_last_mut().expect("chunks are not empty");
        blocks.push(Block { others, last, base: 0 });
    }
    if blocks.is_empty() {
        return;
    }
    // Once in the pool, `join_context` tells thieves from those who only came in.
    scope(|_| scan_blocks(&mut blocks, 0, 0, before, op));

    // The second pass.
    let (parts, lasts): (Vec<_>, Vec<_>) =
        blocks.into_iter().map(|block| ((block.base, block.others), &*block.last)).unzip();
    parts.into_par_iter().for_each(|(base, others)| {
        if base > 0 {
            for element in others {
                *element = op(lasts[base - 1], element);
            }
        }
    });
}

/// Scans blocks, of which the first is number `first`, from block `base` on, with `before` in front.
///
/// Afterwards C1 holds for each of them, and C2 as if `base` were the very first.
fn scan_blocks<T, F>(blocks: &mut [Block<'_, T>], first: usize, base: usize, before: Option<&T>, op: &F)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    if let [block] = blocks {
        return scan_block(block, base, before, op);
    }
    let mid = blocks.len() / 2;
    let (left, right) = blocks.split_at_mut(mid);
    let ((), stolen) = join_context(
        |_| scan_blocks(left, first, base, before, op),
        |context| {
            // If they were not stolen, they wait until the sum before them is known.
            if context.migrated() {
                scan_blocks(right, first + mid, first + mid, None, op);
            }
            context.migrated()
        },
    );
    let before = &*left[mid - 1].last;
    if !stolen {
        return scan_blocks(right, first + mid, base, Some(before), op);
    }
    for block in right {
        *block.last = op(before, block.last);
    }
}

fn scan_block<T>(block: &mut Block<'_, T>, base: usize, before: Option<&T>, op: &impl Fn(&T, &T) -> T) {
    block.base = base;
    let mut before = before;
    if let Some((first, rest)) = block.others.split_first_mut() {
        if let Some(before) = before {
            *first = op(before, first);
        }
        // So plain that the sum can stay in a register.
        let mut sum = &*first;
        for element in rest {
            *element = op(sum, element);
            sum = element;
        }
        before = Some(sum);
    }
    if let Some(before) = before {
        *block.last = op(before, block.last);
    }
}

/// Moves every element one place up, and the last to the front.
fn rotate_by_one<T: Send>(v: &mut [T], grain: usize) {
    if v.len() <= grain {
        return v.rotate_right(1);
    }
    let (left, right) = v.split_at_mut(v.len() / 2);
    join(|| rotate_by_one(left, grain), || rotate_by_one(right, grain));
    // Both have their last element in front.
    mem::swap(&mut left[0], &mut right[0]);
}
