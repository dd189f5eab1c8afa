//! Writes the parts of a JSON text as HTML, line by line.

use std::fmt::{self, Write};

use super::containers::Container;
use super::parts::{Kind, Part, Parts};
use super::{Json, MAX_LINES, MAX_VALUES};
use crate::render::escape::write_text;
use crate::render::highlight::SyntaxClass;
use crate::render::humanize;
use crate::render::time_budget::{OutOfTime, TimeBudget};
use crate::render::unsafe_char::visible;

/// The lines that are visible at first. A value that starts after them is folded, and so are the values within it.
const OPEN_LINES: usize = 500;

/// The most values of a container that is open at first, unless it is the outermost one.
const OPEN_VALUES: usize = 100;

/// Maximum number of characters that a folded container shows.
const PREVIEW: usize = 60;

/// Writes a valid text.
///
/// # Errors
/// If the budget is used up.
pub(super) fn write(
    text: &str,
    containers: &[Container],
    budget: &TimeBudget<'_>,
) -> Result<Json, OutOfTime> {
    let mut writer = Writer {
        html: String::with_capacity(text.len()),
        containers: containers.iter(),
        depth: 0,
        folded_at: None,
        lines: 0,
        values: 0,
        visible_lines: 0,
    };
    let mut parts = Parts::of(text);
    while writer.lines < MAX_LINES && writer.values < MAX_VALUES {
        let Some(part) = parts.next() else {
            break;
        };
        budget.check()?;
        writer
            .write(part, &mut parts)
            .expect("a string takes everything");
    }
    let is_cut = parts.next().is_some();
    for _ in 0..writer.depth {
        // Where the last bracket would be.
        writer.html.push_str("<div></div></details>");
    }
    Ok(Json {
        html: writer.html,
        shown_lines: is_cut.then_some(writer.lines),
    })
}

struct Writer<'c> {
    html: String,
    /// The containers that follow.
    containers: std::slice::Iter<'c, Container>,
    /// The number of open containers.
    depth: usize,
    /// The depth of the outermost folded container around the present line.
    folded_at: Option<usize>,
    lines: usize,
    /// The values that are not containers.
    values: usize,
    visible_lines: usize,
}

impl Writer<'_> {
    /// Writes a line. A short array takes its other parts.
    fn write(&mut self, part: Part<'_>, parts: &mut Parts<'_>) -> fmt::Result {
        self.lines += 1;
        self.visible_lines += usize::from(self.folded_at.is_none());
        match part.kind {
            Kind::Scalar => self.write_line(part),
            Kind::Close => {
                self.depth -= 1;
                self.folded_at.take_if(|depth| *depth == self.depth);
                self.write_line(part)?;
                self.html.write_str("</details>")
            }
            Kind::Open => {
                let container = self.containers.next().copied().unwrap_or_default();
                match container.is_short {
                    true => self.write_short(part, parts),
                    false => self.write_start(part, container, parts.rest),
                }
            }
        }
    }

    fn write_line(&mut self, part: Part<'_>) -> fmt::Result {
        self.html.push_str("<div>");
        self.indent(self.depth)?;
        self.write_part(part)?;
        self.html.write_str("</div>")
    }

    fn write_short(&mut self, start: Part<'_>, parts: &mut Parts<'_>) -> fmt::Result {
        self.html.push_str("<div>");
        self.indent(self.depth)?;
        self.write_part(start)?;
        for part in parts {
            self.write_part(part)?;
            match part.kind {
                Kind::Close => break,
                _ if part.has_comma => self.html.push(' '),
                _ => {}
            }
        }
        self.html.write_str("</div>")
    }

    /// Writes the start of a container that folds. `rest` is the text behind it.
    fn write_start(&mut self, part: Part<'_>, container: Container, rest: &str) -> fmt::Result {
        let is_long = self.depth > 0 && container.values > OPEN_VALUES;
        if is_long || self.visible_lines > OPEN_LINES {
            self.folded_at.get_or_insert(self.depth);
        }
        let is_open = self.folded_at.is_none();
        self.depth += 1;
        let open = if is_open { " open" } else { "" };
        write!(self.html, "<details{open}><summary data-rest=\"")?;
        let (value, end) = match part.text {
            "{" => ("member", "}"),
            _ => ("item", "]"),
        };
        let inside = &rest[..container.inside];
        let start = &inside[..inside.floor_char_boundary(PREVIEW)];
        for word in visible(start).split_whitespace() {
            write_text(word, &mut self.html)?;
            self.html.push(' ');
        }
        if start.len() < inside.len() {
            self.html.push_str("… ");
        }
        let values = humanize::count(container.values, value);
        write!(self.html, "{end} {values}\">")?;
        self.indent(self.depth - 1)?;
        self.write_part(part)?;
        self.html.write_str("</summary>")
    }

    /// Writes the indentation that a copied selection has. The style sheet hides it, and indents lines that wrap, too.
    fn indent(&mut self, depth: usize) -> fmt::Result {
        match depth {
            0 => Ok(()),
            _ => write!(self.html, "<span class=\"in\">{:1$}</span>", "", 2 * depth),
        }
    }

    fn write_part(&mut self, part: Part<'_>) -> fmt::Result {
        if let Some(key) = part.key {
            write_token(key, Some(SyntaxClass::Attribute), &mut self.html)?;
            self.html.push_str(": ");
        }
        self.values += usize::from(part.kind == Kind::Scalar);
        let class = (part.kind == Kind::Scalar).then(|| class_of(part.text));
        write_token(part.text, class, &mut self.html)?;
        if part.has_comma {
            self.html.push(',');
        }
        Ok(())
    }
}

/// Returns the class that source code has.
pub(super) fn class_of(scalar: &str) -> SyntaxClass {
    match scalar.bytes().next() {
        Some(b'"') => SyntaxClass::Text,
        Some(b'-' | b'0'..=b'9') => SyntaxClass::Number,
        _ => SyntaxClass::Constant,
    }
}

/// Writes a token. Its writing direction must not affect the text around it.
fn write_token(text: &str, class: Option<SyntaxClass>, out: &mut String) -> fmt::Result {
    let Some(class) = class else {
        return out.write_str(text);
    };
    let tag = if text.is_ascii() { "span" } else { "bdi" };
    write!(out, "<{tag} class=\"{class}\">")?;
    write_text(text, out)?;
    write!(out, "</{tag}>")
}
