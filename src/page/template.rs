//! Templates as strings.

use askama::Template;

/// Bytes of the layout and of a page's own text.
const FRAME: usize = 6 * 1024;

/// Writes a template into a string with capacity for the template's own text and `content` bytes more.
pub(super) fn write(template: &impl Template, content: usize) -> String {
    let mut page = String::with_capacity(FRAME + content);
    template
        .render_into(&mut page)
        .expect("a string takes everything, and no template fails by itself");
    page
}
