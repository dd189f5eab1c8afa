//! Math: a TeX formula as MathML.
//!
//! Invariants: the result consists of the elements and attributes that [`mathml_sanitizer`] allows. If a formula cannot
//! be rendered like this, the page shows its source.
//! The parser `pulldown-latex` is not trusted. Version 0.8.0 copies `\operatorname{<script>}` into its output and
//! repeats the source in its messages. On some input it panics. A panic affects only the one formula.
//! Cost: 3 to 10 µs for a usual formula. The limits below bound the worst case. Time grows with the square of the
//! nesting depth, and stack use with the number of commands. Macros could expand one line to a megabyte, which a
//! browser would have to lay out.

mod latex_compat;
mod lexer;
mod mathml_sanitizer;
mod operators;
mod text_mode;

use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The place of a formula. `Inline` is `$…$` within a line of text, and `Block` is `$$…$$` on its own line.
pub(super) use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, mathml};

/// Maximum length of a formula in bytes. Even long formulas usually have only a few hundred.
const MAX_BYTES: usize = 4 * 1024;
/// Maximum number of commands in a formula. The parser reads an argument without braces (`\sqrt\sqrt…`) by recursion.
/// Each level takes about 1.3 KiB of stack, and a stack overflow ends the process.
const MAX_COMMANDS: usize = 300;
/// Maximum bytes of the MathML. The longest allowed formula of single letters has 40 KiB.
const MAX_OUTPUT: usize = 128 * 1024;

/// Renders a formula as MathML. Returns `None` if the formula is invalid, too large, or not supported by the parser.
pub(super) fn math(tex: &str, mode: DisplayMode) -> Option<String> {
    if tex.len() > MAX_BYTES {
        return None;
    }
    let tex = latex_compat::translate(tex, mode)?;
    let commands = tex.bytes().filter(|byte| *byte == b'\\').count();
    if commands > MAX_COMMANDS || defines_macros(&tex) {
        return None;
    }
    // A panic may leave a value incomplete. No such value is used afterwards.
    let mathml = catch_unwind(AssertUnwindSafe(|| unsanitized_mathml(&tex, mode))).ok()??;
    mathml_sanitizer::sanitize(&mathml)
}

/// Returns whether a formula defines macros. With macros, a short formula could expand to a long one. Documents rarely
/// define any.
fn defines_macros(tex: &str) -> bool {
    ["def", "let", "newcommand", "renewcommand", "providecommand"]
        .iter()
        .any(|name| tex.contains(&format!("\\{name}")))
}

/// Returns the MathML of `pulldown-latex`, or `None` if the formula has an error.
fn unsanitized_mathml(tex: &str, display_mode: DisplayMode) -> Option<String> {
    let storage = Storage::new();
    let mut is_valid = true;
    let events = Parser::new(tex, &storage).map_while(|event| {
        is_valid &= event.is_ok();
        event.ok().map(Ok::<_, Infallible>)
    });
    let config = RenderConfig {
        display_mode,
        ..RenderConfig::default()
    };
    let mut output = BoundedOutput(Vec::new());
    mathml::write_mathml(&mut output, events, config).ok()?;
    is_valid.then(|| String::from_utf8(output.0).ok())?
}

/// A buffer that fails to write more than [`MAX_OUTPUT`] bytes.
struct BoundedOutput(Vec<u8>);

impl io::Write for BoundedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
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
