//! Operators: translates `\operatorname` and `\mathop`, which the parser `pulldown-latex` supports in part.
//!
//! Invariants: an operator's name is plain text. An operator that is more than a name or a symbol is rejected.
//! Cost: one pass over the operator.

use pulldown_latex::config::DisplayMode;

use super::lexer::{argument, command};

/// Writes an operator with its name. In block mode, `\operatorname*` has its limits below the name.
pub(super) fn operator<'a>(rest: &'a str, mode: DisplayMode, out: &mut String) -> Option<&'a str> {
    let (has_limits, rest) = match rest.strip_prefix('*') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    if !rest.trim_start().starts_with('{') {
        out.push_str("\\operatorname ");
        return Some(rest);
    }
    let (name, rest) = argument(rest)?;
    named_operator(name, has_limits && mode == DisplayMode::Block, out)?;
    Some(rest)
}

fn named_operator(name: &str, has_limits: bool, out: &mut String) -> Option<()> {
    out.push_str("\\operatorname{");
    out.push_str(&operator_name(name)?);
    out.push('}');
    if has_limits {
        out.push_str("\\limits ");
    }
    Some(())
}

/// Writes what `\mathop` makes an operator: a name, or a symbol. The parser prints anything else as text.
pub(super) fn math_operator<'a>(
    rest: &'a str,
    mode: DisplayMode,
    out: &mut String,
) -> Option<&'a str> {
    if !rest.trim_start().starts_with('{') {
        out.push_str("\\mathop ");
        return Some(rest);
    }
    let (inner, rest) = argument(rest)?;
    let inner = inner.trim();
    let states_limits = ["\\limits", "\\nolimits"]
        .iter()
        .any(|name| rest.trim_start().starts_with(name));
    let has_limits = mode == DisplayMode::Block && !states_limits;
    let is_symbol = inner.starts_with('\\') && command(inner).1.is_empty();
    if inner.chars().count() == 1 {
        out.extend(["\\mathop{", inner, "}"]);
    } else if is_symbol && function(inner).is_none() {
        out.extend([inner, if has_limits { "\\limits " } else { " " }]);
    } else {
        named_operator(inner, has_limits, out)?;
    }
    Some(rest)
}

/// Returns the name that a command for a function prints.
fn function(name: &str) -> Option<&str> {
    let name = name.strip_prefix('\\')?;
    matches!(
        name,
        "arg"
            | "max"
            | "min"
            | "sup"
            | "inf"
            | "lim"
            | "det"
            | "dim"
            | "ker"
            | "deg"
            | "hom"
            | "gcd"
            | "Pr"
            | "exp"
            | "log"
            | "ln"
            | "sin"
            | "cos"
            | "tan"
    )
    .then_some(name)
}

/// Returns an operator's name as plain text, because the parser prints it unchanged. Space commands become characters,
/// and font commands are removed.
fn operator_name(tex: &str) -> Option<String> {
    let mut out = String::with_capacity(tex.len());
    let mut rest = tex;
    while let Some(at) = rest.find(['\\', '{', '}', '~', '^', '_', '%', '$']) {
        out.push_str(&rest[..at]);
        let (name, after) = command(&rest[at..]);
        match name {
            "\\," | "\\:" | "\\;" | "\\thinspace" => out.push('\u{2009}'),
            "\\ " | "~" => out.push('\u{a0}'),
            "{" | "}" | "\\!" => {}
            "\\mathrm" | "\\mathsf" | "\\mathbf" | "\\mathit" | "\\rm" | "\\text" | "\\textrm"
            | "\\mbox" => {}
            _ => {
                let is_second = out.ends_with(|c: char| c.is_ascii_alphabetic());
                out.push_str(if is_second { "\u{2009}" } else { "" });
                out.push_str(function(name)?);
            }
        }
        // Spaces after a command's name only end the name, so they are removed.
        rest = if name.len() > 2 {
            after.trim_start()
        } else {
            after
        };
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::latex_compat::translate;
    use super::*;

    fn block(tex: &str) -> Option<String> {
        translate(tex, DisplayMode::Block)
    }

    #[test]
    fn operators_are_named_in_text_and_have_limits_with_a_star() {
        for (tex, expected) in [
            (r"\operatorname{lcm}(a)", r"\operatorname{lcm}(a)"),
            (
                r"\operatorname*{argmin}_x",
                r"\operatorname{argmin}\limits _x",
            ),
            (
                r"\operatorname* {arg\,min}",
                "\\operatorname{arg\u{2009}min}\\limits ",
            ),
            (
                r"\operatorname{\mathrm{arg~max}}",
                "\\operatorname{arg\u{a0}max}",
            ),
            (r"\operatorname{<b>}", r"\operatorname{<b>}"),
            (r"\operatorname*x", r"\operatorname x"),
            (
                r"\mathop{\arg\max}_x",
                "\\operatorname{arg\u{2009}max}\\limits _x",
            ),
            (
                r"\mathop{\mathrm{ess\,sup}}\limits_x",
                "\\operatorname{ess\u{2009}sup}\\limits_x",
            ),
            (r"\mathop{\sum}_x", r"\sum\limits _x"),
            (r"\mathop{+} \mathop\sum", r"\mathop{+} \mathop \sum"),
        ] {
            assert_eq!(block(tex).as_deref(), Some(expected));
        }
        assert_eq!(
            translate(r"\operatorname*{argmin}_x", DisplayMode::Inline).as_deref(),
            Some(r"\operatorname{argmin}_x")
        );
        for tex in [
            r"\operatorname{\frac{1}{2}}",
            r"\operatorname{a_b}",
            r"\operatorname{a%b}",
            r"\mathop{a^b}",
            r"\mathop{\sum x}",
            r"\operatorname{a\}",
            r"\operatorname{",
        ] {
            assert_eq!(block(tex), None, "{tex}");
        }
    }
}
