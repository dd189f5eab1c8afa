//! The one measure of mistyped names: which known name a wrong one most likely means.
//!
//! Cost: one edit distance per known name of a similar length.

/// Returns the known name that `typed` most likely means, ignoring case. Returns `None` if more than every third
/// character differs: a wrong suggestion misleads more than none.
pub(crate) fn nearest<T: AsRef<str>>(typed: &str, known: impl IntoIterator<Item = T>) -> Option<T> {
    let typed = typed.to_ascii_lowercase();
    let most = typed.chars().count() / 3;
    let distance = |known: &T| {
        let known = known.as_ref();
        // The distance is at least the difference of the lengths.
        let is_near = known.len().abs_diff(typed.len()) <= most;
        is_near.then(|| strsim::osa_distance(&known.to_ascii_lowercase(), &typed))
    };
    let near = known
        .into_iter()
        .filter_map(|name| Some((distance(&name)?, name)));
    let (distance, name) = near.min_by_key(|(distance, _)| *distance)?;
    (distance <= most).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_suggested_if_at_most_every_third_character_differs() {
        let known = ["burn", "title", "expires"];
        for (typed, meant) in [
            ("bunr", Some("burn")),
            ("BURM", Some("burn")),
            ("tite", Some("title")),
            ("expirse", Some("expires")),
            ("run", None),
            ("total", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed:?}");
        }
    }
}
