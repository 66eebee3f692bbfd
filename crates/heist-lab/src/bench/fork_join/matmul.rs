//! The product of two matrices by quarters: regular work of a few hundred coarse halves.
//!
//! A matrix is stored quarter by quarter, top left, top right, bottom left, bottom right, and each
//! quarter likewise, down to tiles that are stored by rows. So a quarter is a slice.

use super::Work;
use crate::bench::library::ForkJoin;

/// The side of a tile, which is multiplied without further splitting.
const TILE: usize = 64;

pub struct MatMul {
    a: Vec<f64>,
    b: Vec<f64>,
}

impl MatMul {
    /// `side` is a tile's side times a power of two.
    pub fn new(side: usize) -> Self {
        // Whole numbers so small that every sum of products is exact.
        let filled = |modulus: usize| (0..side * side).map(|i| (i % modulus) as f64).collect();
        Self { a: filled(7), b: filled(11) }
    }
}

impl Work for MatMul {
    const NAME: &'static str = "matmul(512)";
    type Output = Vec<f64>;

    fn run<L: ForkJoin>(&self, place: &mut L::Place<'_>) -> Vec<f64> {
        let mut product = vec![0.0; self.a.len()];
        add_product::<L>(place, &mut product, &self.a, &self.b);
        product
    }

    fn is_right(&self, product: &Vec<f64>) -> bool {
        // The product times a vector of ones, without computing the product.
        let ones = vec![1.0; self.a.len().isqrt()];
        times(product, &ones) == times(&self.a, &times(&self.b, &ones))
    }
}

/// `c += a * b`
fn add_product<L: ForkJoin>(place: &mut L::Place<'_>, c: &mut [f64], a: &[f64], b: &[f64]) {
    if c.len() == TILE * TILE {
        return add_tile_product(c, a, b);
    }
    let [a00, a01, a10, a11] = quarters(a);
    let [b00, b01, b10, b11] = quarters(b);
    add_to_quarters::<L>(place, c, [(a00, b00), (a00, b01), (a10, b00), (a10, b01)]);
    add_to_quarters::<L>(place, c, [(a01, b10), (a01, b11), (a11, b10), (a11, b11)]);
}

/// Adds to each quarter of `c` the product of two quarters, all four at the same time.
fn add_to_quarters<L: ForkJoin>(
    place: &mut L::Place<'_>,
    c: &mut [f64],
    [p00, p01, p10, p11]: [(&[f64], &[f64]); 4],
) {
    let (top, bottom) = c.split_at_mut(c.len() / 2);
    let (c00, c01) = top.split_at_mut(top.len() / 2);
    let (c10, c11) = bottom.split_at_mut(bottom.len() / 2);
    L::join(
        place,
        |place| {
            L::join(
                place,
                |place| add_product::<L>(place, c00, p00.0, p00.1),
                |place| add_product::<L>(place, c01, p01.0, p01.1),
            )
        },
        |place| {
            L::join(
                place,
                |place| add_product::<L>(place, c10, p10.0, p10.1),
                |place| add_product::<L>(place, c11, p11.0, p11.1),
            )
        },
    );
}

fn quarters(matrix: &[f64]) -> [&[f64]; 4] {
    let quarter = matrix.len() / 4;
    [0, 1, 2, 3].map(|i| &matrix[i * quarter..(i + 1) * quarter])
}

fn add_tile_product(c: &mut [f64], a: &[f64], b: &[f64]) {
    for (c_row, a_row) in c.chunks_exact_mut(TILE).zip(a.chunks_exact(TILE)) {
        for (&factor, b_row) in a_row.iter().zip(b.chunks_exact(TILE)) {
            for (c, b) in c_row.iter_mut().zip(b_row) {
                *c += factor * b;
            }
        }
    }
}

/// The matrix times a vector.
fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    if matrix.len() == TILE * TILE {
        let dot = |row: &[f64]| row.iter().zip(vector).map(|(a, b)| a * b).sum();
        return matrix.chunks_exact(TILE).map(dot).collect();
    }
    let [m00, m01, m10, m11] = quarters(matrix);
    let (upper, lower) = vector.split_at(vector.len() / 2);
    let mut product = sum(times(m00, upper), &times(m01, lower));
    product.extend(sum(times(m10, upper), &times(m11, lower)));
    product
}

fn sum(mut a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::library::Sequential;

    /// The index of an element of a matrix whose side is two tiles.
    fn index(row: usize, column: usize) -> usize {
        let quarter = row / TILE * 2 + column / TILE;
        quarter * TILE * TILE + row % TILE * TILE + column % TILE
    }

    #[test]
    fn the_product_is_what_the_definition_says() {
        let side = 2 * TILE;
        let work = MatMul::new(side);
        let product = work.run::<Sequential>(&mut ());
        for (row, column) in [(0, 0), (3, 100), (100, 3), (127, 127), (64, 63)] {
            let by_definition: f64 =
                (0..side).map(|k| work.a[index(row, k)] * work.b[index(k, column)]).sum();
            assert_eq!(product[index(row, column)], by_definition);
        }
    }

    #[test]
    fn a_wrong_element_is_noticed() {
        let work = MatMul::new(2 * TILE);
        let mut product = work.run::<Sequential>(&mut ());
        assert!(work.is_right(&product));
        product[5] += 1.0;
        assert!(!work.is_right(&product));
    }
}
