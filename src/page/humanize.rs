//! Words for durations and for numbers of reads.
//!
//! Durations are rounded to the nearest multiple of one unit. Pages also show the exact times.

use std::time::Duration;

pub(super) use crate::render::{count, number, size};

/// Returns a duration in words, such as `7 days` or `1 hour`. The shortest one is a second.
pub(super) fn duration(duration: Duration) -> String {
    // A unit is used as soon as the next smaller unit would round up to it. For example, hours start at 59.5 minutes.
    const UNITS: [(u64, u64, &str); 3] =
        [(86_400, 1800, "day"), (3600, 30, "hour"), (60, 0, "minute")];
    let seconds = duration
        .as_secs()
        .saturating_add(u64::from(duration.subsec_millis() >= 500));
    let (size, name) = UNITS
        .iter()
        .find(|(size, early, _)| seconds >= size - early)
        .map_or((1, "second"), |(size, _, name)| (*size, *name));
    count((seconds.saturating_add(size / 2) / size).max(1), name)
}

/// Returns an age in words, such as `just now` or `3 minutes ago`.
pub(super) fn ago(age: Duration) -> String {
    if age < Duration::from_secs(1) {
        return "just now".to_owned();
    }
    duration(age) + " ago"
}

/// Returns a count in words. For the verb `read` it is `not read yet`, `read once` or `read 3 times`.
pub(super) fn how_often(verb: &str, count: u32) -> String {
    match count {
        0 => ["not ", verb, " yet"].concat(),
        1 => [verb, " once"].concat(),
        _ => [verb, " ", &number(count), " times"].concat(),
    }
}

/// Returns how often something may still happen, such as `once more` or `3 more times`.
pub(super) fn more_times(count: u8) -> String {
    match count {
        1 => "once more".to_owned(),
        _ => number(count) + " more times",
    }
}

/// Returns when a paste expires, such as `goes out in 7 days` or `does not go out`.
pub(super) fn expiry(expires_in: Option<Duration>) -> String {
    expires_in.map_or_else(
        || "does not go out".to_owned(),
        |left| "goes out in ".to_owned() + &duration(left),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_the_nearest_count_of_the_largest_fitting_unit() {
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
            assert_eq!(
                duration(Duration::from_millis(millis)),
                expected,
                "{millis}"
            );
        }
        assert!(duration(Duration::MAX).ends_with(" days"));
    }

    #[test]
    fn ages_reads_and_expiries_are_in_plain_words() {
        assert_eq!(ago(Duration::from_millis(999)), "just now");
        assert_eq!(ago(Duration::from_secs(180)), "3 minutes ago");
        assert_eq!(how_often("read", 0), "not read yet");
        assert_eq!(how_often("read", 1), "read once");
        assert_eq!(how_often("followed", 1500), "followed 1,500 times");
        assert_eq!(more_times(1), "once more");
        assert_eq!(more_times(3), "3 more times");
        assert_eq!(expiry(None), "does not go out");
        assert_eq!(
            expiry(Some(Duration::from_secs(60))),
            "goes out in 1 minute"
        );
    }
}
