//! LaTeX compatibility: rewrites common commands that the parser `pulldown-latex` does not know into commands that it
//! knows.
//!
//! Invariants: a formula without such commands is not changed. The result is at most six times as long, plus 40 bytes.
//! If a command cannot be translated, the whole formula is rejected. Otherwise the parser would print the command as
//! text.
//! Cost: one pass over the formula.

use pulldown_latex::config::DisplayMode;

use super::lexer::{argument, command};
use super::text_mode::text;

/// Rewrites a formula for the parser. Returns `None` if the formula contains a command that cannot be shown.
pub(super) fn translate(tex: &str, mode: DisplayMode) -> Option<String> {
    let mut out = String::with_capacity(tex.len());
    // The number of open braces and environments.
    let mut depth = 0_usize;
    let mut has_lines = false;
    let mut rest = tex;
    while let Some(at) = rest.find(['\\', '{', '}']) {
        out.push_str(&rest[..at]);
        let (name, after) = command(&rest[at..]);
        rest = match name {
            "\\operatorname" => operator(after, mode, &mut out)?,
            "\\tag" => tag(after, &mut out)?,
            "\\label" => {
                out.push(' ');
                argument(after)?.1
            }
            "\\begin" => environment(after, &mut out)?,
            "\\text" | "\\textrm" | "\\textbf" | "\\textit" | "\\textsf" | "\\texttt"
            | "\\mbox" | "\\hbox" => text(synonym(name), after, translate_inline, &mut out)?,
            _ => {
                out.push_str(synonym(name));
                after
            }
        };
        match name {
            "{" | "\\begin" => depth += 1,
            "}" | "\\end" => depth = depth.saturating_sub(1),
            "\\\\" => has_lines |= depth == 0,
            _ => {}
        }
    }
    out.push_str(rest);
    // The parser supports line breaks only in environments. The line feed ends a comment at the end of the formula.
    Some(match mode {
        DisplayMode::Block if has_lines => format!("\\begin{{gathered}}{out}\n\\end{{gathered}}"),
        DisplayMode::Block | DisplayMode::Inline => out,
    })
}

fn translate_inline(tex: &str) -> Option<String> {
    translate(tex, DisplayMode::Inline)
}

/// Returns the parser's name for a command. A command without a visible effect becomes a space, which separates the
/// text before and after it.
fn synonym(name: &str) -> &str {
    match name {
        "\\bm" => "\\boldsymbol",
        "\\mbox" | "\\hbox" => "\\text",
        "\\mathscr" => "\\mathcal",
        "\\nonumber" | "\\notag" => " ",
        other => other,
    }
}

/// Writes the number of a formula. The number has no parentheses in `\tag*`.
fn tag<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    let starred = rest.strip_prefix('*');
    let (number, rest) = argument(starred.unwrap_or(rest))?;
    // The parser treats the number as text.
    if number.contains(['\\', '$', '{']) {
        return None;
    }
    let (open, close) = if starred.is_some() {
        ("", "")
    } else {
        ("(", ")")
    };
    out.push_str("\\quad\\text{");
    out.extend([open, number, close]);
    out.push('}');
    Some(rest)
}

/// Writes the start of an environment. A vertical position such as `[t]` is left out.
fn environment<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    let (name, rest) = argument(rest)?;
    out.extend(["\\begin{", name, "}"]);
    let takes_position = matches!(name, "aligned" | "alignedat" | "gathered" | "array");
    let positions = ["[t]", "[c]", "[b]"];
    let position = positions
        .iter()
        .find(|position| rest.starts_with(**position));
    Some(match position {
        Some(position) if takes_position => &rest[position.len()..],
        _ => rest,
    })
}

/// Writes an operator with its name. In block mode, `\operatorname*` has its limits below the name.
fn operator<'a>(rest: &'a str, mode: DisplayMode, out: &mut String) -> Option<&'a str> {
    let (has_limits, rest) = match rest.strip_prefix('*') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    if !rest.trim_start().starts_with('{') {
        out.push_str("\\operatorname ");
        return Some(rest);
    }
    let (name, rest) = argument(rest)?;
    out.push_str("\\operatorname{");
    out.push_str(&operator_name(name)?);
    out.push('}');
    if has_limits && mode == DisplayMode::Block {
        out.push_str("\\limits ");
    }
    Some(rest)
}

/// Returns an operator's name as plain text, because the parser prints it unchanged. Space commands become characters,
/// and font commands are removed.
fn operator_name(tex: &str) -> Option<String> {
    let mut out = String::with_capacity(tex.len());
    let mut rest = tex;
    while let Some(at) = rest.find(['\\', '{', '}', '~', '^', '_']) {
        out.push_str(&rest[..at]);
        let (name, after) = command(&rest[at..]);
        match name {
            "\\," | "\\:" | "\\;" | "\\thinspace" => out.push('\u{2009}'),
            "\\ " | "~" => out.push('\u{a0}'),
            "{" | "}" | "\\!" => {}
            "\\mathrm" | "\\mathsf" | "\\mathbf" | "\\mathit" | "\\rm" | "\\text" | "\\textrm"
            | "\\mbox" => {}
            _ => return None,
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
    use proptest::prelude::*;

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
            r"\operatorname{a\}",
            r"\operatorname{",
        ] {
            assert_eq!(block(tex), None, "{tex}");
        }
    }

    #[test]
    fn commands_without_effect_are_left_out_and_others_have_synonyms() {
        for (tex, expected) in [
            (r"a\label{eq:1}b", "a b"),
            (r"\d\label{}ef\nonumber\notag x", r"\d ef   x"),
            (r"a \tag{1}", r"a \quad\text{(1)}"),
            (r"\tag*{é}", r"\quad\text{é}"),
            (
                r"\bm x \mbox{a} \mathscr{L}",
                r"\boldsymbol x \text{a} \mathcal{L}",
            ),
            (
                r"\begin{aligned}[t]a\end{aligned}",
                r"\begin{aligned}a\end{aligned}",
            ),
            (r"\begin{matrix}[t]", r"\begin{matrix}[t]"),
        ] {
            assert_eq!(block(tex).as_deref(), Some(expected));
        }
        for tex in [
            r"\label{",
            r"\label",
            r"\tag{$*$}",
            r"\tag{\a}",
            r"\tag1",
            r"\begin{a",
        ] {
            assert_eq!(block(tex), None, "{tex}");
        }
    }

    #[test]
    fn lines_of_a_block_formula_become_an_environment() {
        assert_eq!(
            block(r"a \\ b % c").as_deref(),
            Some("\\begin{gathered}a \\\\ b % c\n\\end{gathered}")
        );
        for tex in [
            r"\begin{cases} a \\ b \end{cases}",
            r"\substack{a \\ b} \{ \}",
        ] {
            assert_eq!(block(tex).as_deref(), Some(tex));
        }
    }

    #[test]
    fn a_formula_that_needs_no_translation_is_not_changed() {
        for tex in [
            "",
            "x",
            "\\",
            r"\\",
            r"\{\}",
            r"a \\ \é \\operatorname*{",
            "é{",
        ] {
            assert_eq!(translate(tex, DisplayMode::Inline).as_deref(), Some(tex));
        }
    }

    proptest! {
        #[test]
        fn no_formula_grows_beyond_six_times_its_bytes_and_forty(
            pieces in prop::collection::vec(PIECES, 0..30)
        ) {
            let tex = pieces.concat();
            for mode in [DisplayMode::Inline, DisplayMode::Block] {
                let bytes = translate(&tex, mode).unwrap_or_default().len();
                prop_assert!(bytes <= 6 * tex.len() + 40, "{bytes}");
            }
        }
    }

    const PIECES: &str = r"(\\operatorname\*?|\\(tag|label|bm|notag|text|mbox|begin|end)\{?|\\%|\\,|\\|\{|\}|\[t\]|\{a\}|[a-z *~_^é$&]|\PC)";
}
