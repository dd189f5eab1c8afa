//! Words for counts and sizes.
//!
//! Sizes are rounded down. So no size looks as if it reached a limit that it does not reach.

/// Returns a count with its noun, such as `1 line` or `20,000 lines`.
pub(crate) fn count(count: impl itoa::Integer, noun: &str) -> String {
    let mut counted = number(count);
    let plural = if counted == "1" { "" } else { "s" };
    counted.extend([" ", noun, plural]);
    counted
}

/// Returns a number with a comma before every third digit, such as `20,000`.
pub(crate) fn number(number: impl itoa::Integer) -> String {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(number);
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    let (mut start, mut end) = (0, (digits.len() - 1) % 3 + 1);
    while end < digits.len() {
        grouped.push_str(&digits[start..end]);
        grouped.push(',');
        (start, end) = (end, end + 3);
    }
    grouped.push_str(&digits[start..]);
    grouped
}

/// Returns a size in words, such as `512 bytes`, `1.4 KiB` or `1 MiB`.
pub(crate) fn size(bytes: usize) -> String {
    let (unit, name) = match bytes {
        0..1024 => return count(bytes, "byte"),
        1024..1_048_576 => (1024, "KiB"),
        _ => (1_048_576, "MiB"),
    };
    let whole = number(bytes / unit);
    match bytes % unit * 10 / unit {
        0 => [&whole, " ", name].concat(),
        tenth => [&whole, ".", &number(tenth), " ", name].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_thousands_have_commas() {
        assert_eq!(count(0, "line"), "0 lines");
        assert_eq!(count(1, "line"), "1 line");
        assert_eq!(count(999, "line"), "999 lines");
        assert_eq!(count(1_234_567, "line"), "1,234,567 lines");
    }

    #[test]
    fn a_size_has_one_decimal_at_most_and_is_rounded_down() {
        for (bytes, expected) in [
            (1, "1 byte"),
            (1023, "1,023 bytes"),
            (1024, "1 KiB"),
            (1434, "1.4 KiB"),
            (1_048_575, "1,023.9 KiB"),
            (1_048_576, "1 MiB"),
            (5_767_168, "5.5 MiB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }
}
