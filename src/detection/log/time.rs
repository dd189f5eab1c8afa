//! The time at which an event was logged.

use std::ops::Range;

/// Bytes of a line that contain the clock time: a date or an address may come before it.
const WITHIN: usize = 72;

/// The most bytes that a date before the clock time has: `[Wed Oct 11 2026 `.
const DATE: usize = 24;

pub(in crate::detection) const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Returns the bytes of a line that are the time of an event, such as `2026-05-04T12:00:00.123Z`, `May  4 12:00:00`,
/// `04/May/2026:12:00:00 +0000`, or the seconds since the kernel started: `[    0.123456]`.
pub(super) fn time(line: &str) -> Option<Range<usize>> {
    let bytes = line.as_bytes();
    if let Some(end) = kernel_time(bytes) {
        return Some(0..end);
    }
    // Unreal writes `2026.05.04-12.00.00`.
    let is_clock = |(at, clock): &(usize, &[u8])| {
        let is_between = |byte: u8| byte == b':' || byte == b'.' && bytes[..*at].ends_with(b"-");
        let is_so = |(at, byte): (usize, &u8)| match at {
            2 | 5 => is_between(*byte),
            _ => byte.is_ascii_digit(),
        };
        clock.iter().enumerate().all(is_so)
    };
    // In `2026:12:00:00`, the clock time follows the year.
    let starts = |at: usize| at == 0 || !bytes[at - 1].is_ascii_digit();
    let mut clocks = bytes[..bytes.len().min(WITHIN)].windows(8).enumerate();
    let (clock, _) = clocks.find(|clock| is_clock(clock) && starts(clock.0))?;
    let is_date = |byte: &u8| byte.is_ascii_alphanumeric() || b" -/:.,".contains(byte);
    let before = &bytes[clock.saturating_sub(DATE)..clock];
    let outside = before.iter().rposition(|byte| !is_date(byte));
    // A name or an address before the date belongs to it only if the date starts the line.
    let start = match outside {
        Some(outside) => clock - before.len() + outside + 1,
        None if clock <= DATE => 0,
        None => clock,
    };
    Some(start..clock + 8 + rest(&bytes[clock + 8..]))
}

/// Returns true if this time of the line is certainly that of an event: it has a date, or at most two words are before
/// it, such as the name of a service. `ps` prints a clock in the middle of its lines.
pub(super) fn is_of_event(line: &str, time: &Range<usize>) -> bool {
    // In `04/May/2026:12:00:00`, the first colon is before the clock time.
    let Some(colon) = line[time.clone()].find(':') else {
        return true;
    };
    let digits = line.as_bytes()[..time.start + colon].iter().rev();
    let clock = time.start + colon - digits.take_while(|byte| byte.is_ascii_digit()).count();
    let before = line[..clock].trim_end_matches([' ', 'T', ':', '_', ',']);
    let date = before.rsplit([' ', '[', '(']).next().unwrap_or_default();
    let digits = date.bytes().filter(u8::is_ascii_digit).count();
    let is_numeric = digits >= 4 && date.contains(['-', '/', '.']);
    let is_named = || {
        let month = |word: &str| MONTHS.iter().any(|month| word.starts_with(month));
        digits > 0 && before.split([' ', ',', '[', '/']).rev().take(4).any(month)
    };
    let names = before
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'));
    let names = names.map_or(before, |(_, rest)| rest);
    is_numeric || is_named() || names.split_whitespace().nth(2).is_none()
}

/// Returns the end of the kernel's time at the start of a line.
fn kernel_time(bytes: &[u8]) -> Option<usize> {
    let inside = bytes.strip_prefix(b"[")?;
    let end = inside.iter().take(16).position(|byte| *byte == b']')?;
    let seconds = inside[..end].trim_ascii_start();
    let dot = seconds.iter().position(|byte| *byte == b'.')?;
    let are_digits = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let is_time = are_digits(&seconds[..dot]) && are_digits(&seconds[dot + 1..]);
    // X.Org has milliseconds.
    (is_time && [4, 7].contains(&(seconds.len() - dot))).then_some(end + 2)
}

/// Returns how many bytes after the seconds belong to the time: a fraction and an offset from UTC.
fn rest(bytes: &[u8]) -> usize {
    let digits = |bytes: &[u8]| {
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut end = match bytes {
        [b'.' | b',', rest @ ..] if digits(rest) > 0 => 1 + digits(rest),
        _ => 0,
    };
    match &bytes[end..] {
        [b'Z', ..] => end += 1,
        [b'+' | b'-', zone @ ..] if digits(zone) >= 2 => {
            end += 1 + digits(zone);
            if let [b':', minutes @ ..] = &bytes[end..] {
                end += 1 + digits(minutes);
            }
        }
        [b' ', b'+' | b'-', zone @ ..] if digits(zone) == 4 => end += 6,
        _ => {}
    }
    end
}
