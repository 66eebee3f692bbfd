//! What all plots share: text that is safe to put between tags, and scales.
//!
//! Along the width everything is in percent of the plot, so that a plot fits every screen while its text and
//! its dots keep their size; along the height it is in pixels.

/// `text` as XML and HTML can have it, also between quotes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            // XML has no way to write it.
            c if c.is_control() => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A name as part of an address within the page.
pub fn anchor(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

/// Equal factors are equally far apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogScale {
    low: f64,
    high: f64,
}

impl LogScale {
    /// From the lowest to the highest of `values`, as far as they are positive.
    pub fn over(values: impl IntoIterator<Item = f64>) -> Self {
        let positive = values.into_iter().filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) =
            positive.fold((f64::INFINITY, 0.0), |(low, high), value| (value.min(low), value.max(high)));
        if low > high { Self { low: 1.0, high: 1.0 } } else { Self { low, high } }
    }

    /// Ends at whole powers of `base`, so that there is a tick at each end.
    pub fn rounded(self, base: f64) -> Self {
        // A little less, so that a power is its own power in spite of rounding.
        const SLACK: f64 = 1e-9;
        let low = base.powf((self.low.log(base) + SLACK).floor());
        let high = base.powf((self.high.log(base) - SLACK).ceil());
        Self { low, high: high.max(low * base) }
    }

    /// Where between the ends: 0 is the low one, 1 the high one. What is beyond is at the end.
    pub fn place(self, value: f64) -> f64 {
        if self.low == self.high {
            return 0.5;
        }
        let place = (value / self.low).ln() / (self.high / self.low).ln();
        if place.is_nan() { 0.5 } else { place.clamp(0.0, 1.0) }
    }

    /// The powers of `base` between the ends; only every second or third if there are too many.
    pub fn ticks(self, base: f64, at_most: usize) -> Vec<f64> {
        let first = (self.low.log(base) - 1e-9).ceil() as i32;
        let last = (self.high.log(base) + 1e-9).floor() as i32;
        let count = usize::try_from(last - first + 1).unwrap_or_default();
        let step = count.div_ceil(at_most.max(1)).max(1) as i32;
        // Counted from one, which is a tick if it is between the ends.
        (first..=last).filter(|power| power % step == 0).map(|power| base.powi(power)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_a_browser_is_escaped() {
        assert_eq!(escape("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
        assert_eq!(escape("a\0\u{1b}b"), "a\u{FFFD}\u{FFFD}b");
        assert_eq!(escape("500 µs"), "500 µs");
    }

    #[test]
    fn equal_factors_are_equally_far_apart() {
        let scale = LogScale::over([4.0, 0.25]);
        assert_eq!([0.25, 1.0, 4.0].map(|value| scale.place(value)), [0.0, 0.5, 1.0]);
        assert_eq!([0.0001, 1e9].map(|value| scale.place(value)), [0.0, 1.0]);
    }

    #[test]
    fn a_scale_of_one_value_or_none_has_it_in_the_middle() {
        assert_eq!(LogScale::over([7.0]).place(7.0), 0.5);
        assert_eq!(LogScale::over([]).place(7.0), 0.5);
        assert_eq!(LogScale::over([0.0, f64::NAN]), LogScale::over([]));
    }

    #[test]
    fn a_rounded_scale_has_ticks_at_its_ends() {
        assert_eq!(LogScale::over([0.3, 3.0]).rounded(2.0).ticks(2.0, 9), [0.25, 0.5, 1.0, 2.0, 4.0]);
        assert_eq!(LogScale::over([1.0]).rounded(10.0).ticks(10.0, 9), [1.0, 10.0]);
        assert_eq!(LogScale::over([10.0, 1000.0]).rounded(10.0).ticks(10.0, 9), [10.0, 100.0, 1000.0]);
    }

    #[test]
    fn too_many_ticks_are_thinned_out_around_one() {
        let ticks = LogScale::over([1.0 / 16.0, 16.0]).ticks(2.0, 5);
        assert_eq!(ticks, [0.0625, 0.25, 1.0, 4.0, 16.0]);
    }
}
