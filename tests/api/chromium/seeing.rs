//! Assertions that wait, because a page changes some time after a click.
//!
//! Each assertion checks its condition again and again. It fails with the last state if the condition never holds.

use std::fmt::Debug;
use std::time::Instant;

use serde_json::Value;

use super::{PATIENCE, Visitor};

impl Visitor<'_> {
    /// Asserts that the open page has this path and query.
    pub async fn is_at(&self, path: &str) {
        let is_there = |seen: &String| seen == path;
        look("the path", path, async || self.path().await, is_there).await;
    }

    /// Asserts that the open page has this path and query, and still has them after a hundred checks: no redirect
    /// follows.
    pub async fn stays_at(&self, path: &str) {
        for _ in 0..100 {
            assert_eq!(self.path().await, path);
        }
    }

    /// Asserts that an element has this text, visible or not.
    pub async fn shows(&self, css: &str, text: &str) {
        let is_shown = |seen: &String| seen == text;
        look(css, text, async || self.text(css).await, is_shown).await;
    }

    /// Asserts that the text of an element contains this part, visible or not.
    pub async fn tells(&self, css: &str, part: &str) {
        let is_told = |seen: &String| seen.contains(part);
        look(css, part, async || self.text(css).await, is_told).await;
    }

    /// Asserts that a field has this value.
    pub async fn holds(&self, css: &str, value: &str) {
        let is_held = |seen: &String| seen == value;
        look(css, value, async || self.value(css).await, is_held).await;
    }

    /// Asserts that a script expression has this value in the page.
    pub async fn finds<T: Debug>(&self, expression: &str, expected: T)
    where
        Value: PartialEq<T>,
    {
        let is_found = |seen: &Value| *seen == expected;
        let see = async || self.evaluate(expression).await;
        look(expression, &expected, see, is_found).await;
    }

    /// Asserts that a condition holds in the page.
    pub async fn until(&self, condition: &str) {
        self.finds(condition, true).await;
    }
}

/// Checks again and again until the condition holds, at most for [`PATIENCE`].
async fn look<T: Debug>(
    what: &str,
    expected: impl Debug,
    see: impl AsyncFn() -> T,
    is_so: impl Fn(&T) -> bool,
) {
    let start = Instant::now();
    loop {
        let seen = see().await;
        if is_so(&seen) {
            return;
        }
        let is_over = start.elapsed() > PATIENCE;
        assert!(!is_over, "{what}: {seen:?} and never {expected:?}");
    }
}
