//! The text of a listing, computed without writing HTML.

use crate::render::unsafe_char::visible;

/// Returns the text of the lines of a patch. Unsafe characters are in their visible form. A CR at the end of a line is left out.
pub(in crate::render) fn listed_in_a_patch(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix('\n') {
        Some(line) => visible(line.strip_suffix('\r').unwrap_or(line)).into_owned() + "\n",
        None => visible(line).into_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Returns the text of a listing in which a CR restarts its line: before the last state are the number of the others, and
/// they.
pub(in crate::render) fn listed(text: &str) -> String {
    let line = |line: &str| {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        let mut states: Vec<_> = line.trim_end_matches('\r').split('\r').collect();
        let last = states.pop().unwrap_or_default();
        states.retain(|state| !state.trim().is_empty());
        let count = match states.len() {
            0 => String::new(),
            1 => "1 earlier state".to_owned(),
            count => format!("{count} earlier states"),
        };
        let states = states.join("\n");
        [count.as_str(), &*visible(&states), &*visible(last), end].concat()
    };
    text.split_inclusive('\n').map(line).collect()
}
