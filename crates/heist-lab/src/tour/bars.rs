//! A bar per worker: when it was busy, with its own pieces or with others'.

use std::time::Duration;

use super::imbalance::{Done, WORKERS, bound, busy};
use super::screen::{Screen, Style};
use crate::bench::measure::nanos;

/// Columns of a bar, and the time that one of them stands for. The bound is at the end of a column.
const COLUMNS: usize = 48;
const COLUMN: Duration = Duration::from_micros(7500);

/// What a worker did in the time of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Own,
    Away,
    Idle,
}

/// Where the bound is, above the bars.
pub fn ruler() -> String {
    let text = format!("the bound, {} ms ▼", nanos(bound()) / 1e6);
    let before = "  worker 0 ".len() + bound_column() + 1;
    format!("{text:>before$}")
}

/// The first column after the bound.
fn bound_column() -> usize {
    (bound().as_nanos() / COLUMN.as_nanos()) as usize
}

/// A line per worker, for what has been done until now.
pub fn draw(screen: &Screen<'_>, done: &[Vec<Done>; WORKERS], now: Duration) -> String {
    let lines = done.iter().enumerate().map(|(worker, pieces)| {
        let bar = paint(screen, &cells(worker, pieces), now);
        format!("  worker {worker} {bar} {:>5.0} ms busy", nanos(busy(pieces)) / 1e6)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What the worker did for most of each column.
fn cells(worker: usize, pieces: &[Done]) -> [Cell; COLUMNS] {
    let mut own = [Duration::ZERO; COLUMNS];
    let mut away = own;
    for piece in pieces {
        let times = if piece.home == worker { &mut own } else { &mut away };
        let first = (piece.begin.as_nanos() / COLUMN.as_nanos()) as usize;
        for (column, time) in times.iter_mut().enumerate().skip(first) {
            let begin = piece.begin.max(COLUMN * column as u32);
            let end = piece.end.min(COLUMN * (column + 1) as u32);
            if begin >= end {
                break;
            }
            *time += end - begin;
        }
    }
    std::array::from_fn(|column| {
        if own[column] + away[column] < COLUMN / 2 {
            Cell::Idle
        } else if own[column] >= away[column] {
            Cell::Own
        } else {
            Cell::Away
        }
    })
}

/// Cells that are alike are painted in one go.
fn paint(screen: &Screen<'_>, cells: &[Cell; COLUMNS], now: Duration) -> String {
    let passed = now.as_nanos().div_ceil(COLUMN.as_nanos()) as usize;
    let look = |column: usize| match cells[column] {
        Cell::Own => (Style::Own, '█'),
        Cell::Away => (Style::Away, '▒'),
        Cell::Idle if column == bound_column() => (Style::Faint, '┊'),
        Cell::Idle if column < passed => (Style::Faint, '·'),
        Cell::Idle => (Style::Faint, ' '),
    };
    let looks: Vec<(Style, char)> = (0..COLUMNS).map(look).collect();
    let alike = looks.chunk_by(|a, b| a.0 == b.0);
    alike.map(|run| screen.paint(run[0].0, &run.iter().map(|look| look.1).collect::<String>())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(home: usize, begin: u64, end: u64) -> Done {
        Done { home, begin: Duration::from_micros(begin), end: Duration::from_micros(end) }
    }

    fn drawn(done: &[Vec<Done>; WORKERS], now: Duration) -> String {
        draw(&Screen::new(std::io::sink(), false, false), done, now)
    }

    #[test]
    fn a_bar_tells_own_pieces_from_others_and_from_rest() {
        let done = [vec![piece(0, 0, 15_000), piece(3, 15_000, 22_500)], vec![], vec![], vec![]];
        let text = drawn(&done, Duration::from_millis(30));
        let first = text.lines().next().unwrap();
        assert!(first.starts_with("  worker 0 ██▒·   "), "{first}");
        assert!(first.ends_with("    22 ms busy"), "{first}");
    }

    #[test]
    fn a_piece_beyond_the_last_column_is_left_out() {
        let done = [vec![piece(0, 0, 10_000_000), piece(0, 10_000_000, 10_000_001)], vec![], vec![], vec![]];
        let text = drawn(&done, Duration::from_secs(11));
        assert!(text.starts_with(&format!("  worker 0 {} ", "█".repeat(COLUMNS))), "{text}");
    }

    #[test]
    fn the_ruler_ends_above_the_mark_of_the_bound() {
        let text = drawn(&Default::default(), Duration::ZERO);
        let mark = text.lines().next().unwrap().chars().position(|c| c == '┊').unwrap();
        assert_eq!(ruler().chars().count(), mark + 1);
        assert!(ruler().contains("187.5 ms"));
    }
}
