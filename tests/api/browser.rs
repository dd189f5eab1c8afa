//! What people do in a browser: a real one, with scripts and without.

mod access;
mod drafts;
mod hostile;
mod looks;
mod reading;
mod writing;

use crate::chromium::Visitor;

/// Several lines, every character with a meaning in HTML, two writing directions, no line feed at the end.
const TYPED: &str = "fn main() {\n    <b>&\"bold\"</b> &amp; 'quoted'\n\nسلام é\n}";

/// Types a paste and saves it; gives its path.
async fn save(visitor: &Visitor<'_>, text: &str, title: &str) -> String {
    visitor.open("/").await;
    visitor.type_into("#content", text).await;
    visitor.type_into("#title", title).await;
    visitor.choose("#lang", "rust").await;
    visitor.choose("#expires", "1h").await;
    visitor.click(".submit button").await;
    visitor.element(".listing").await;
    visitor.path().await
}

/// What stands in a field.
async fn value(visitor: &Visitor<'_>, css: &str) -> String {
    let value = visitor.element(css).await.prop("value").await;
    value.expect("it has a value").unwrap_or_default()
}
