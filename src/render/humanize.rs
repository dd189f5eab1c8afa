//! Words: counts, sizes and spans of time as a person says them.
//!
//! What it must not know: what is counted. Times are rounded to the nearest of one unit, for the exact ones stand
//! beside them; sizes are rounded down, so that nothing is said to reach a limit that it does not.

use std::time::Duration;

/// `1 line`, `20,000 lines`: the noun takes an s unless there is one.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    [&grouped(count), " ", noun, plural].concat()
}

/// The number with a comma at every third digit.
pub(crate) fn grouped(number: usize) -> String {
    let mut written = itoa::Buffer::new();
    let digits = written.format(number);
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

/// `512 bytes`, `1.4 KiB`, `1 MiB`.
pub(crate) fn size(bytes: usize) -> String {
    let (unit, name) = match bytes {
        0..1024 => return counted(bytes, "byte"),
        1024..1_048_576 => (1024, "KiB"),
        _ => (1_048_576, "MiB"),
    };
    let whole = grouped(bytes / unit);
    match bytes % unit * 10 / unit {
        0 => [&whole, " ", name].concat(),
        tenth => [&whole, ".", &grouped(tenth), " ", name].concat(),
    }
}

/// `7 days`, `1 hour`; at least a second.
pub(crate) fn span(span: Duration) -> String {
    // A unit is used from where the next smaller one would round up to it: an hour from 59.5 minutes on.
    const UNITS: [(u64, u64, &str); 3] =
        [(86_400, 1800, "day"), (3600, 30, "hour"), (60, 0, "minute")];
    let seconds = span
        .as_secs()
        .saturating_add(u64::from(span.subsec_millis() >= 500));
    let (size, name) = UNITS
        .iter()
        .find(|(size, early, _)| seconds >= size - early)
        .map_or((1, "second"), |(size, _, name)| (*size, *name));
    let count = (seconds.saturating_add(size / 2) / size).max(1);
    counted(usize::try_from(count).unwrap_or(usize::MAX), name)
}

/// `just now`, `3 minutes ago`.
pub(crate) fn ago(age: Duration) -> String {
    if age < Duration::from_secs(1) {
        return "just now".to_owned();
    }
    span(age) + " ago"
}

/// `not read yet`, `read once`, `read 3 times`; the verb is one in the past.
pub(crate) fn done(verb: &str, count: u32) -> String {
    match count {
        0 => ["not ", verb, " yet"].concat(),
        _ => [verb, " ", &times(count)].concat(),
    }
}

/// `once`, `3 times`.
pub(crate) fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        _ => grouped(number(count)) + " times",
    }
}

/// `once more`, `3 more times`.
pub(crate) fn more_times(count: u32) -> String {
    match count {
        1 => "once more".to_owned(),
        _ => grouped(number(count)) + " more times",
    }
}

/// `goes out in 7 days`, `does not go out`.
pub(crate) fn going_out(expires_in: Option<Duration>) -> String {
    expires_in.map_or_else(
        || "does not go out".to_owned(),
        |left| "goes out in ".to_owned() + &span(left),
    )
}

/// A count as the number that the others take.
pub(crate) fn number(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_anything_is_singular_and_thousands_have_commas() {
        assert_eq!(counted(0, "line"), "0 lines");
        assert_eq!(counted(1, "line"), "1 line");
        assert_eq!(counted(999, "line"), "999 lines");
        assert_eq!(counted(1_234_567, "line"), "1,234,567 lines");
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

    #[test]
    fn a_span_is_told_in_the_nearest_count_of_the_largest_fitting_unit() {
        for (millis, expected) in [
            (0, "1 second"),
            (1400, "1 second"),
            (59_400, "59 seconds"),
            (60_000, "1 minute"),
            (89_000, "1 minute"),
            (91_000, "2 minutes"),
            (3_569_000, "59 minutes"),
            (3_570_000, "1 hour"),
            (6_600_000, "2 hours"),
            (84_599_000, "23 hours"),
            (86_399_000, "1 day"),
            (604_799_000, "7 days"),
            (31_536_000_000, "365 days"),
        ] {
            assert_eq!(span(Duration::from_millis(millis)), expected, "{millis}");
        }
        assert!(span(Duration::MAX).ends_with(" days"));
    }

    #[test]
    fn ages_and_reads_are_told_as_people_tell_them() {
        assert_eq!(ago(Duration::from_millis(999)), "just now");
        assert_eq!(ago(Duration::from_secs(180)), "3 minutes ago");
        assert_eq!(done("read", 0), "not read yet");
        assert_eq!(done("read", 1), "read once");
        assert_eq!(done("followed", 1500), "followed 1,500 times");
        assert_eq!(more_times(1), "once more");
        assert_eq!(more_times(3), "3 more times");
        assert_eq!(going_out(None), "does not go out");
        assert_eq!(
            going_out(Some(Duration::from_secs(60))),
            "goes out in 1 minute"
        );
    }
}
