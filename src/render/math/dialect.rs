//! The dialect: what usual formulas say in words that their reader does not know, in words that it does.
//!
//! What it must not know: MathML.
//! Invariants: a formula without those words stays as it is; no formula grows to more than six times its bytes and 40.
//! What has no meaning here is refused, lest its reader writes commands on the page as text.
//! Cost: one pass.

use super::Place;
use super::lexer::{argument, command};
use super::text::text;

/// The formula in words that its reader knows; none if one of them says what cannot be shown.
pub(super) fn translated(tex: &str, place: Place) -> Option<String> {
    let mut out = String::with_capacity(tex.len());
    // Braces and environments that are open.
    let mut depth = 0_usize;
    let mut has_lines = false;
    let mut rest = tex;
    while let Some(at) = rest.find(['\\', '{', '}']) {
        out.push_str(&rest[..at]);
        let (name, behind) = command(&rest[at..]);
        rest = match name {
            "\\operatorname" => operator(behind, place, &mut out)?,
            "\\tag" => tag(behind, &mut out)?,
            "\\label" => {
                out.push(' ');
                argument(behind)?.1
            }
            "\\begin" => environment(behind, &mut out)?,
            "\\text" | "\\textrm" | "\\textbf" | "\\textit" | "\\textsf" | "\\texttt"
            | "\\mbox" | "\\hbox" => text(synonym(name), behind, &mut out)?,
            _ => {
                out.push_str(synonym(name));
                behind
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
    // Its reader knows lines in environments alone. The line feed ends a comment.
    Some(match place {
        Place::Block if has_lines => format!("\\begin{{gathered}}{out}\n\\end{{gathered}}"),
        Place::Block | Place::Inline => out,
    })
}

/// What a command is called by its reader. A space parts what was around one that says nothing.
fn synonym(name: &str) -> &str {
    match name {
        "\\bm" => "\\boldsymbol",
        "\\mbox" | "\\hbox" => "\\text",
        "\\mathscr" => "\\mathcal",
        "\\nonumber" | "\\notag" => " ",
        other => other,
    }
}

/// The number of a formula, which stands behind it; with a star it has no brackets.
fn tag<'a>(behind: &'a str, out: &mut String) -> Option<&'a str> {
    let bare = behind.strip_prefix('*');
    let (number, rest) = argument(bare.unwrap_or(behind))?;
    // It is text to the reader.
    if number.contains(['\\', '$', '{']) {
        return None;
    }
    let (open, close) = if bare.is_some() { ("", "") } else { ("(", ")") };
    out.push_str("\\quad\\text{");
    out.extend([open, number, close]);
    out.push('}');
    Some(rest)
}

/// Where an environment begins, without where it is to stand in its line: `[t]`.
fn environment<'a>(behind: &'a str, out: &mut String) -> Option<&'a str> {
    let (name, rest) = argument(behind)?;
    out.extend(["\\begin{", name, "}"]);
    let has_place = matches!(name, "aligned" | "alignedat" | "gathered" | "array");
    let places = ["[t]", "[c]", "[b]"];
    let place = places.iter().find(|place| rest.starts_with(**place));
    Some(match place {
        Some(place) if has_place => &rest[place.len()..],
        _ => rest,
    })
}

/// An operator by its name. Those with a star have their limits below, where there is room for that.
fn operator<'a>(behind: &'a str, place: Place, out: &mut String) -> Option<&'a str> {
    let (has_limits, behind) = match behind.strip_prefix('*') {
        Some(behind) => (true, behind),
        None => (false, behind),
    };
    if !behind.trim_start().starts_with('{') {
        out.push_str("\\operatorname ");
        return Some(behind);
    }
    let (name, behind) = argument(behind)?;
    out.push_str("\\operatorname{");
    out.push_str(&operator_name(name)?);
    out.push('}');
    if has_limits && place == Place::Block {
        out.push_str("\\limits ");
    }
    Some(behind)
}

/// The name of an operator as text, which its reader takes it for: spaces as such, and no fonts.
fn operator_name(tex: &str) -> Option<String> {
    let mut out = String::with_capacity(tex.len());
    let mut rest = tex;
    while let Some(at) = rest.find(['\\', '{', '}', '~', '^', '_']) {
        out.push_str(&rest[..at]);
        let (name, behind) = command(&rest[at..]);
        match name {
            "\\," | "\\:" | "\\;" | "\\thinspace" => out.push('\u{2009}'),
            "\\ " | "~" => out.push('\u{a0}'),
            "{" | "}" | "\\!" => {}
            "\\mathrm" | "\\mathsf" | "\\mathbf" | "\\mathit" | "\\rm" | "\\text" | "\\textrm"
            | "\\mbox" => {}
            _ => return None,
        }
        // Spaces end the name of a command.
        rest = if name.len() > 2 {
            behind.trim_start()
        } else {
            behind
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
        translated(tex, Place::Block)
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
            translated(r"\operatorname*{argmin}_x", Place::Inline).as_deref(),
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
    fn words_that_say_nothing_here_are_left_out_and_others_have_synonyms() {
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
    fn lines_of_a_formula_of_its_own_are_an_environment() {
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
    fn what_needs_no_translation_stays() {
        for tex in [
            "",
            "x",
            "\\",
            r"\\",
            r"\{\}",
            r"a \\ \é \\operatorname*{",
            "é{",
        ] {
            assert_eq!(translated(tex, Place::Inline).as_deref(), Some(tex));
        }
    }

    proptest! {
        #[test]
        fn no_formula_grows_to_more_than_six_times_its_bytes_and_forty(
            pieces in prop::collection::vec(PIECES, 0..30)
        ) {
            let tex = pieces.concat();
            for place in [Place::Inline, Place::Block] {
                let bytes = translated(&tex, place).unwrap_or_default().len();
                prop_assert!(bytes <= 6 * tex.len() + 40, "{bytes}");
            }
        }
    }

    const PIECES: &str = r"(\\operatorname\*?|\\(tag|label|bm|notag|text|mbox|begin|end)\{?|\\%|\\,|\\|\{|\}|\[t\]|\{a\}|[a-z *~_^é$&]|\PC)";
}
