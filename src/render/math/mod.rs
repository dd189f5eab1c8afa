//! Math: a formula of TeX as MathML.
//!
//! What it must not know: the document around it.
//! Invariants: what comes out is of the elements and attributes that [`allowed`] knows, or nothing comes out, and the
//! formula is shown as it was written. Its maker is not trusted: version 0.8.0 writes `\operatorname{<script>}` as it
//! stands, repeats the source in its messages, and has parts that panic. A panic loses the formula and nothing else.
//! Cost: 3 to 10 µs a usual formula. The bounds hold the worst one: time grows with the square of the depth, the stack
//! with the commands, macros can make a megabyte of a line, and a browser lays out whatever it is given.

mod allowed;
mod dialect;
mod lexer;
mod text;

use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, mathml};

/// Where a formula stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a line of text: `$…$`.
    Inline,
    /// In a line of its own: `$$…$$`.
    Block,
}

/// Longer formulas are not read; a long one has a few hundred bytes.
const MOST_BYTES: usize = 4 * 1024;
/// So many commands, and no formula is read with more: an argument without braces (`\sqrt\sqrt…`) is read by recursion,
/// about 1.3 KiB of stack each, and a stack that overflows ends the process.
const MOST_COMMANDS: usize = 300;
/// A formula whose MathML is larger is not shown as such. The longest formula of single letters has 40 KiB.
const MOST_OUTPUT: usize = 128 * 1024;

/// The formula as MathML; none if it is wrong, too large, or beyond its reader.
pub(super) fn math(tex: &str, place: Place) -> Option<String> {
    if tex.len() > MOST_BYTES {
        return None;
    }
    let tex = dialect::translated(tex, place)?;
    let commands = tex.bytes().filter(|byte| *byte == b'\\').count();
    if commands > MOST_COMMANDS || defines_macros(&tex) {
        return None;
    }
    // What a panic may leave half done is dropped with it.
    let markup = catch_unwind(AssertUnwindSafe(|| markup(&tex, place))).ok()??;
    allowed::allowed(&markup)
}

/// Macros are the way from a short formula to a long one. Documents of other places rarely define any.
fn defines_macros(tex: &str) -> bool {
    ["def", "let", "newcommand", "renewcommand", "providecommand"]
        .iter()
        .any(|name| tex.contains(&format!("\\{name}")))
}

/// What its maker makes of it, if there is no error in it.
fn markup(tex: &str, place: Place) -> Option<String> {
    let storage = Storage::new();
    let mut is_sound = true;
    let events = Parser::new(tex, &storage).map_while(|event| {
        is_sound &= event.is_ok();
        event.ok().map(Ok::<_, Infallible>)
    });
    let config = RenderConfig {
        display_mode: match place {
            Place::Inline => DisplayMode::Inline,
            Place::Block => DisplayMode::Block,
        },
        ..RenderConfig::default()
    };
    let mut output = Bounded(Vec::new());
    mathml::write_mathml(&mut output, events, config).ok()?;
    is_sound.then(|| String::from_utf8(output.0).ok())?
}

/// What takes [`MOST_OUTPUT`] bytes and no more.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_OUTPUT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
