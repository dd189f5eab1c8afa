//! Words for durations and for numbers of views.
//!
//! Durations are rounded to the nearest multiple of one unit. Pages also have the exact times.

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

/// Returns how often something happened, such as `No views yet`, `1 view` or `1,500 views`.
pub(super) fn total(total: u32, noun: &str) -> String {
    match total {
        0 => ["No ", noun, "s yet"].concat(),
        _ => count(total, noun),
    }
}

/// Returns how many views are left, such as `1 view left` or `3 views left`.
pub(super) fn views_left(left: u8) -> String {
    count(left, "view") + " left"
}

/// Returns when a paste expires, such as `Expires in 7 days` or `Never expires`.
pub(super) fn expiry(expires_in: Option<Duration>) -> String {
    expires_in.map_or_else(
        || "Never expires".to_owned(),
        |left| "Expires in ".to_owned() + &duration(left),
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
    fn ages_views_and_expiries_are_in_plain_words() {
        assert_eq!(ago(Duration::from_millis(999)), "just now");
        assert_eq!(ago(Duration::from_secs(180)), "3 minutes ago");
        assert_eq!(total(0, "view"), "No views yet");
        assert_eq!(total(1, "view"), "1 view");
        assert_eq!(total(1500, "click"), "1,500 clicks");
        assert_eq!(views_left(1), "1 view left");
        assert_eq!(views_left(3), "3 views left");
        assert_eq!(expiry(None), "Never expires");
        assert_eq!(expiry(Some(Duration::from_secs(60))), "Expires in 1 minute");
    }
}
