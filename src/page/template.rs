//! Writes templates into strings.

use askama::Template;

/// Estimated bytes of the page layout and of a page's fixed text.
const FRAME: usize = 6 * 1024;

/// A page that a browser gets as HTML, and a terminal as plain text.
pub trait Page: Template {
    /// Returns the page as plain text.
    fn text(&self) -> String;
}

/// Writes a template of plain text. Askama drops the line feed at the end of a template, which a text needs.
pub(super) fn write_text(template: &impl Template) -> String {
    let mut text = write(template, 0);
    text.push('\n');
    text
}

/// Returns a page as HTML.
pub(crate) fn to_html(page: &impl Template) -> String {
    write(page, 0)
}

/// Writes a template into a string. The string reserves capacity for the template's fixed text and for `content` more
/// bytes.
pub(super) fn write(template: &impl Template, content: usize) -> String {
    let mut page = String::with_capacity(FRAME + content);
    template
        .render_into(&mut page)
        .expect("a string takes everything, and no template fails by itself");
    page
}
