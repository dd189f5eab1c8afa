//! The MathML sanitizer: the last check before a formula is put on a page. It does not trust the given markup.
//!
//! Invariants: the output consists of literals of the [allow-list](allow_list) and escaped text. Elements are well
//! nested within one `<math>`, at most [`MAX_DEPTH`] deep. A formula with anything else is rejected, because without it
//! the formula would look different from its author's intention. A few attributes that change little are left out.
//! Cost: one pass over the markup.

mod allow_list;
mod colour;

use self::allow_list::ContentModel;
use crate::render::escape::write_text;
use crate::render::unsafe_char::visible;

/// Maximum nesting depth of elements. People do not write deeper formulas, and browsers would be slow.
const MAX_DEPTH: usize = 100;

/// Writes the markup again, using the allow-list. Returns `None` if the markup has a forbidden element or is not well
/// formed.
pub(super) fn sanitize(markup: &str) -> Option<String> {
    let mut out = String::with_capacity(markup.len());
    let mut open: Vec<&'static str> = Vec::new();
    let mut rest = markup;
    loop {
        rest = match rest.strip_prefix("</") {
            Some(tag) => {
                let name = open.pop()?;
                close(name, &mut out);
                tag.strip_prefix(name)?.strip_prefix('>')?
            }
            None => element(rest.strip_prefix('<')?, &mut open, &mut out)?,
        };
        if open.is_empty() {
            return rest.is_empty().then_some(out);
        }
    }
}

/// Writes the element whose tag starts here, after its `<`. An element with child elements is written up to its content
/// and pushed to `open`. Other elements are written completely. Returns the rest of the markup.
fn element<'a>(tag: &'a str, open: &mut Vec<&'static str>, out: &mut String) -> Option<&'a str> {
    let (name, rest) = word(tag);
    let (name, content) = allow_list::element(name)?;
    if open.is_empty() != (name == "math") || open.len() == MAX_DEPTH {
        return None;
    }
    out.push('<');
    out.push_str(name);
    let (rest, is_self_closing) = attributes(rest, out)?;
    out.push('>');
    match (content, is_self_closing) {
        (ContentModel::Elements, false) => {
            open.push(name);
            Some(rest)
        }
        (ContentModel::Text, false) => {
            let (text, rest) = rest.split_once(&format!("</{name}>"))?;
            let text = unescaped(text);
            match text.chars().all(|c| matches!(c, '\u{2061}'..='\u{2064}')) {
                // An operator that is not written, such as that of a function's argument.
                true => out.push_str(&text),
                false => write_text(&visible(&text), out).expect("a string takes everything"),
            }
            close(name, out);
            Some(rest)
        }
        (ContentModel::Empty, true) => {
            close(name, out);
            Some(rest)
        }
        (ContentModel::Elements | ContentModel::Text, true) | (ContentModel::Empty, false) => None,
    }
}

fn close(name: &'static str, out: &mut String) {
    out.extend(["</", name, ">"]);
}

/// Returns an element's text without escapes. Parts of `pulldown-latex` escape text once, twice or not at all.
fn unescaped(text: &str) -> String {
    if text == "&amp;nbsp;" {
        return '\u{a0}'.to_string();
    }
    text.replace("&nbsp;", "\u{a0}")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// Writes the allowed attributes of a tag. Returns the markup after the tag, and whether the tag closes itself.
fn attributes<'a>(mut rest: &'a str, out: &mut String) -> Option<(&'a str, bool)> {
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix("/>") {
            return Some((rest, true));
        }
        if let Some(rest) = rest.strip_prefix('>') {
            return Some((rest, false));
        }
        let (name, after) = word(rest);
        let (value, after) = after.strip_prefix("=\"")?.split_once('"')?;
        if let Some((name, value)) = allow_list::attribute(name, value)? {
            out.extend([" ", name, "=\"", &value, "\""]);
        }
        rest = after;
    }
}

/// Splits off the lower-case ASCII letters at the start of the text. Returns them and the rest.
fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_lowercase());
    text.split_at(end.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_markup_is_kept() {
        let same = "<math display=\"block\"><mrow><mi mathvariant=\"normal\">x</mi>\
            <mo stretchy=\"true\">=</mo><mspace width=\"0.5em\"></mspace></mrow></math>";
        assert_eq!(
            sanitize(&same.replace("></mspace>", " />")).as_deref(),
            Some(same)
        );
    }

    #[test]
    fn text_is_escaped_whether_it_was_before_or_not() {
        for (text, escaped) in [
            ("<", "&#60;"),
            ("&lt;", "&#60;"),
            ("&", "&#38;"),
            ("<script>", "&#60;script&#62;"),
            ("\u{202e}", "[U+202E]"),
            ("&amp;nbsp;", "\u{a0}"),
        ] {
            assert_eq!(
                sanitize(&format!("<math><mi>{text}</mi></math>")),
                Some(format!("<math><mi>{escaped}</mi></math>"))
            );
        }
    }

    #[test]
    fn any_other_element_refuses_the_formula() {
        for markup in [
            "",
            "x",
            "<mi>x</mi>",
            "<math>",
            "<math>x</math>",
            "<math></math><script>",
            "<math></math> ",
            "<math><math></math></math>",
            "<math><script></script></math>",
            "<math><mi>x</mrow></math>",
            "<math><mrow></math></mrow>",
            "<math><mi></mi><img src=x onerror=alert(1)></mi></math>",
            "<math><merror><mtext>x</mtext></merror></math>",
            "<math><mrow/></math>",
            "<math><mspace></math>",
            "<math onclick=alert(1)></math>",
            "<math><annotation-xml encoding=\"text/html\"></annotation-xml></math>",
            "<MATH></MATH>",
        ] {
            assert_eq!(sanitize(markup), None, "{markup}");
        }
        let deep = |depth| {
            let rows = ["<mrow>".repeat(depth), "</mrow>".repeat(depth)].concat();
            sanitize(&format!("<math>{rows}</math>"))
        };
        assert!(deep(MAX_DEPTH - 1).is_some() && deep(MAX_DEPTH).is_none());
    }

    #[test]
    fn any_other_attribute_or_value_refuses_the_formula() {
        for attribute in [
            "style=\"color:red\"",
            "style=\"color: rgb(255 255 255)\"",
            "style=\"background-color: rgb(255 0 0)\"",
            "onclick=\"alert(1)\"",
            "href=\"https://x.example\"",
            "display=\"contents\"",
            "class=\"listing\"",
            "class=\"mop-negated\"",
            "width=\"-1em\"",
            "width=\"41em\"",
            "width=\"NaNem\"",
            "width=\"1vw\"",
            "width=\"1em;\"",
        ] {
            assert_eq!(
                sanitize(&format!("<math {attribute}></math>")),
                None,
                "{attribute}"
            );
        }
        assert_eq!(
            sanitize(
                "<math width=\"1.5mu\"height=\"2pt\" class=\"menv-arraylike menv-cases\"></math>"
            )
            .as_deref(),
            Some("<math width=\"1.5em\" height=\"2pt\" class=\"menv-cases\"></math>")
        );
    }

    #[test]
    fn attributes_that_change_little_are_left_out() {
        for attribute in [
            "style=\"height: 1em\"",
            "width=\"-0.1667em\" style=\"margin-left: -0.1667em\"",
            "class=\"menv-with-eqn\"",
            "style=\"color: rgb(0 0 0)\"",
        ] {
            assert_eq!(
                sanitize(&format!("<math {attribute}></math>")).as_deref(),
                Some("<math></math>"),
                "{attribute}"
            );
        }
    }

    #[test]
    fn a_colour_becomes_the_nearest_that_is_legible_in_both_schemes() {
        for (rgb, class) in [
            ("255 0 0", "t1"),
            ("0 128 0", "t2"),
            ("255 165 0", "t3"),
            ("0 0 255", "t4"),
            ("128 0 128", "t5"),
            ("0 255 255", "t6"),
            ("128 128 128", "t7"),
        ] {
            assert_eq!(
                sanitize(&format!("<math style=\"color: rgb({rgb})\"></math>")),
                Some(format!("<math class=\"{class}\"></math>"))
            );
        }
    }
}
