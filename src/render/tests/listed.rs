//! The text of a listing, computed without writing HTML.

use crate::render::unsafe_char::visible;

/// Returns the text of a listing. Unsafe characters are in their visible form. A CR at the end of a line is left out.
pub(in crate::render) fn listed(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix('\n') {
        Some(line) => visible(line.strip_suffix('\r').unwrap_or(line)).into_owned() + "\n",
        None => visible(line).into_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}
