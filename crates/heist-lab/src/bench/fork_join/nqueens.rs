//! In how many ways n queens fit on a board: a search tree of many short branches.

use std::hint::black_box;

use super::Work;
use crate::bench::library::ForkJoin;

/// The side of the board.
pub struct Queens(pub u32);

impl Work for Queens {
    const NAME: &'static str = "nqueens(12)";
    type Output = u64;

    fn run<L: ForkJoin>(&self, place: &mut L::Place<'_>) -> u64 {
        let board = Board { all: (1 << black_box(self.0)) - 1, ..Board::default() };
        next_row::<L>(place, board)
    }

    fn is_right(&self, output: &u64) -> bool {
        const SOLUTIONS: [u64; 13] = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200];
        SOLUTIONS[self.0 as usize] == *output
    }
}

/// Which columns of the next row are attacked, one bit per column.
#[derive(Clone, Copy, Default)]
struct Board {
    all: u32,
    columns: u32,
    falling: u32,
    rising: u32,
}

impl Board {
    fn safe(self) -> u32 {
        self.all & !(self.columns | self.falling | self.rising)
    }

    fn with_queen(self, column: u32) -> Self {
        Self {
            all: self.all,
            columns: self.columns | column,
            falling: (self.falling | column) >> 1,
            rising: (self.rising | column) << 1,
        }
    }
}

fn next_row<L: ForkJoin>(place: &mut L::Place<'_>, board: Board) -> u64 {
    if board.columns == board.all {
        return 1;
    }
    match board.safe() {
        0 => 0,
        safe => candidates::<L>(place, board, safe),
    }
}

/// Tries each column of `safe`: the first as one half, the others as the other.
fn candidates<L: ForkJoin>(place: &mut L::Place<'_>, board: Board, safe: u32) -> u64 {
    let first = safe & safe.wrapping_neg();
    let others = safe & !first;
    if others == 0 {
        return next_row::<L>(place, board.with_queen(first));
    }
    let (a, b) = L::join(
        place,
        |place| next_row::<L>(place, board.with_queen(first)),
        |place| candidates::<L>(place, board, others),
    );
    a + b
}
