//! Assertions that wait, because a page changes some time after a click.
//!
//! Each assertion checks its condition once a frame. It fails with the last state if the condition never holds.

use std::fmt::Debug;
use std::time::Instant;

use serde_json::{Value, json};

use super::{PATIENCE, Visitor};

impl Visitor {
    /// Asserts that the open page has this path and query.
    pub fn is_at(&self, path: &str) {
        let is_there = |seen: &String| seen == path;
        look(self, "the path", path, || self.path(), is_there);
    }

    /// Asserts that the last input did not lead away from this path: the page has handled it, and every request that it
    /// sent has its response.
    pub fn stays_at(&self, path: &str) {
        for _ in 0..2 {
            self.frame();
            self.session().until_no_request_is_pending();
        }
        assert_eq!(self.path(), path);
    }

    /// Waits for an element.
    pub fn element(&self, css: &str) {
        self.until(&format!("document.querySelector({}) !== null", quoted(css)));
    }

    /// Asserts that an element has this text, visible or not.
    pub fn shows(&self, css: &str, text: &str) {
        let is_shown = |seen: &Value| *seen == text;
        look(
            self,
            css,
            text,
            || self.property(css, "textContent"),
            is_shown,
        );
    }

    /// Asserts that the text of an element contains this part, visible or not.
    pub fn tells(&self, css: &str, part: &str) {
        let is_told = |seen: &Value| seen.as_str().is_some_and(|seen| seen.contains(part));
        look(
            self,
            css,
            part,
            || self.property(css, "textContent"),
            is_told,
        );
    }

    /// Asserts that a field has this value.
    pub fn holds(&self, css: &str, value: &str) {
        let is_held = |seen: &Value| *seen == value;
        look(self, css, value, || self.property(css, "value"), is_held);
    }

    /// Asserts that a script expression has this value in the page.
    pub fn finds<T: Debug>(&self, expression: &str, expected: T)
    where
        Value: PartialEq<T>,
    {
        // The expression may fail in the page before.
        let see = || self.try_evaluate(expression);
        let is_found =
            |seen: &Result<Value, String>| seen.as_ref().is_ok_and(|seen| *seen == expected);
        _ = look(self, expression, &expected, see, is_found);
    }

    /// Asserts that a condition holds in the page.
    pub fn until(&self, condition: &str) {
        self.finds(condition, true);
    }

    /// The text of an element, visible or not.
    pub fn text(&self, css: &str) -> String {
        self.element(css);
        let text = self.property(css, "textContent");
        text.as_str().expect("it has text").to_owned()
    }

    fn property(&self, css: &str, name: &str) -> Value {
        self.evaluate(&format!("document.querySelector({})?.{name}", quoted(css)))
    }
}

/// Checks once a frame until the condition holds, at most for [`PATIENCE`]. Returns what was seen then.
pub(super) fn look<T: Debug>(
    visitor: &Visitor,
    what: &str,
    expected: impl Debug,
    see: impl Fn() -> T,
    is_so: impl Fn(&T) -> bool,
) -> T {
    let start = Instant::now();
    loop {
        let seen = see();
        if is_so(&seen) {
            return seen;
        }
        let is_over = start.elapsed() > PATIENCE;
        assert!(!is_over, "{what}: {seen:?} and never {expected:?}");
        visitor.frame();
    }
}

/// A text as a literal of a script.
pub(super) fn quoted(text: &str) -> Value {
    json!(text)
}
