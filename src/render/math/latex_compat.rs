//! LaTeX compatibility: rewrites common commands that the parser `pulldown-latex` does not know into commands that it
//! knows.
//!
//! Invariants: a formula without such commands is not changed. The result is at most seven times as long, plus 40
//! bytes. If a command cannot be translated, the whole formula is rejected. Otherwise the parser would print the
//! command as text. So are commands whose arguments the parser would lose.
//! Cost: one pass over the formula, and one more over the arguments of `\\boxed` and `\\ket`.

use pulldown_latex::config::DisplayMode;

use super::lexer::{argument, command};
use super::operators::{math_operator, operator};
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
            "\\mathop" => math_operator(after, mode, &mut out)?,
            "\\boxed" => boxed(after, mode, &mut out)?,
            "\\bra" | "\\ket" | "\\braket" | "\\Bra" | "\\Ket" | "\\Braket" => {
                bracket(name, after, &mut out)?
            }
            "\\hspace" | "\\hskip" => {
                out.push_str(name);
                after.strip_prefix('*').unwrap_or(after)
            }
            "\\sideset" | "\\Game" | "\\char" => return None,
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
        match synonym(name) {
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
        "\\bm" | "\\pmb" => "\\boldsymbol",
        "\\begingroup" | "\\bgroup" => "{",
        "\\endgroup" | "\\egroup" => "}",
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
    if number.contains(['\\', '$', '{', '%']) {
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

/// Writes a framed formula as a table with one cell. The table is no `darray`, whose first line the parser loses.
fn boxed<'a>(rest: &'a str, mode: DisplayMode, out: &mut String) -> Option<&'a str> {
    let (inner, rest) = argument(rest)?;
    out.push_str("\\begin{array}{|c|}\\hline{");
    if mode == DisplayMode::Block {
        out.push_str("\\displaystyle ");
    }
    out.push_str(&translate(inner, DisplayMode::Inline)?);
    out.push_str("}\\\\\\hline\\end{array}");
    Some(rest)
}

/// Writes a formula in the brackets of physics. Those with a capital letter grow with the formula.
fn bracket<'a>(name: &str, rest: &'a str, out: &mut String) -> Option<&'a str> {
    let (inner, rest) = argument(rest)?;
    let (open, close) = match name {
        "\\bra" => ("\\langle{", "}|"),
        "\\ket" => ("|{", "}\\rangle "),
        "\\braket" => ("\\langle{", "}\\rangle "),
        "\\Bra" => ("\\left\\langle{", "}\\right|"),
        "\\Ket" => ("\\left|{", "}\\right\\rangle "),
        _ => ("\\left\\langle{", "}\\right\\rangle "),
    };
    out.push_str(open);
    out.push_str(&translate(inner, DisplayMode::Inline)?);
    out.push_str(close);
    Some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(tex: &str) -> Option<String> {
        translate(tex, DisplayMode::Block)
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
    fn frames_and_the_brackets_of_physics_are_written_with_other_commands() {
        for (tex, expected) in [
            (
                r"\boxed{\bm x}",
                r"\begin{array}{|c|}\hline{\displaystyle \boldsymbol x}\\\hline\end{array}",
            ),
            (
                r"\bra{a}\ket{\bm b}",
                r"\langle{a}||{\boldsymbol b}\rangle ",
            ),
            (r"\Braket{a|b}", r"\left\langle{a|b}\right\rangle "),
            (r"\begingroup a\endgroup", "{ a}"),
            (r"\hspace*{1em}", r"\hspace{1em}"),
        ] {
            assert_eq!(block(tex).as_deref(), Some(expected));
        }
        for tex in [r"\boxed", r"\ket{", r"\bra x", r"\sideset{a}{b}\sum"] {
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
        fn no_formula_grows_beyond_seven_times_its_bytes_and_forty(
            pieces in prop::collection::vec(PIECES, 0..30)
        ) {
            let tex = pieces.concat();
            for mode in [DisplayMode::Inline, DisplayMode::Block] {
                let bytes = translate(&tex, mode).unwrap_or_default().len();
                prop_assert!(bytes <= 7 * tex.len() + 40, "{bytes}");
            }
        }
    }

    const PIECES: &str = r"(\\operatorname\*?|\\(mathop|boxed|ket|Bra|tag|label|bm|notag|text|mbox|begin|end)\{?|\\%|\\,|\\|\{|\}|\[t\]|\{a\}|[a-z *~_^é$&]|\PC)";
}
