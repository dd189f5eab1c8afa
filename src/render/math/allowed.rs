//! The allow-list of MathML: the last step before a formula stands on a page.
//!
//! What it must not know: TeX; who made the markup, whom it does not trust.
//! Invariants: everything written comes out of the tables here or is escaped text; elements are nested well, at most
//! [`DEEPEST`] of them, below one `<math>`. An unknown element refuses the whole; an unknown attribute or value is left
//! out, as every `style` is, which the policy of the page forbids.
//! Cost: one pass.

use crate::render::escape::write_text;
use crate::render::odd::shown;

/// Deeper formulas are nobody's, and slow in browsers.
const DEEPEST: usize = 100;

/// What an element holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Elements,
    Text,
    Nothing,
}

const ELEMENTS: [(&str, Holds); 19] = [
    ("math", Holds::Elements),
    ("mfrac", Holds::Elements),
    ("mi", Holds::Text),
    ("mn", Holds::Text),
    ("mo", Holds::Text),
    ("mover", Holds::Elements),
    ("mroot", Holds::Elements),
    ("mrow", Holds::Elements),
    ("mspace", Holds::Nothing),
    ("msqrt", Holds::Elements),
    ("msub", Holds::Elements),
    ("msubsup", Holds::Elements),
    ("msup", Holds::Elements),
    ("mtable", Holds::Elements),
    ("mtd", Holds::Elements),
    ("mtext", Holds::Text),
    ("mtr", Holds::Elements),
    ("munder", Holds::Elements),
    ("munderover", Holds::Elements),
];

/// What an attribute may be.
#[derive(Clone, Copy)]
enum Value {
    OneOf(&'static [&'static str]),
    /// Some of these, with spaces between.
    SomeOf(&'static [&'static str]),
    Length,
}

const BOOLEAN: Value = Value::OneOf(&["true", "false"]);

const ATTRIBUTES: [(&str, Value); 15] = [
    ("class", Value::SomeOf(&CLASSES)),
    ("depth", Value::Length),
    ("display", Value::OneOf(&["inline", "block"])),
    ("displaystyle", BOOLEAN),
    ("height", Value::Length),
    ("largeop", BOOLEAN),
    ("linethickness", Value::Length),
    ("mathvariant", Value::OneOf(&["normal"])),
    ("maxsize", Value::Length),
    ("minsize", Value::Length),
    ("movablelimits", BOOLEAN),
    ("scriptlevel", Value::OneOf(&["0", "1", "2"])),
    ("stretchy", BOOLEAN),
    ("symmetric", BOOLEAN),
    ("width", Value::Length),
];

/// Those that the style sheet gives a meaning.
const CLASSES: [&str; 9] = [
    "cell-left",
    "cell-right",
    "menv-align",
    "menv-alignlike",
    "menv-cases",
    "menv-cells-left",
    "menv-cells-right",
    "menv-hline",
    "menv-right-solid",
];

/// The markup again, written anew from the tables; none if anything in it is not allowed.
pub(super) fn allowed(markup: &str) -> Option<String> {
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

/// Writes the element that begins here, without its `<`, as far as its content; all of it if it holds no others.
fn element<'a>(tag: &'a str, open: &mut Vec<&'static str>, out: &mut String) -> Option<&'a str> {
    let (name, rest) = word(tag);
    let (name, holds) = *ELEMENTS.iter().find(|(known, _)| *known == name)?;
    if open.is_empty() != (name == "math") || open.len() == DEEPEST {
        return None;
    }
    out.push('<');
    out.push_str(name);
    let (rest, is_empty) = attributes(rest, out)?;
    out.push('>');
    match (holds, is_empty) {
        (Holds::Elements, false) => {
            open.push(name);
            Some(rest)
        }
        (Holds::Text, false) => {
            let (text, rest) = rest.split_once(&format!("</{name}>"))?;
            write_text(&shown(&unescaped(text)), out).ok()?;
            close(name, out);
            Some(rest)
        }
        (Holds::Nothing, true) => {
            close(name, out);
            Some(rest)
        }
        (Holds::Elements | Holds::Text, true) | (Holds::Nothing, false) => None,
    }
}

fn close(name: &'static str, out: &mut String) {
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

/// The text of an element. Some of its maker's parts escape, some do not, and one does it twice.
fn unescaped(text: &str) -> String {
    if text == "&amp;nbsp;" {
        return '\u{a0}'.to_string();
    }
    text.replace("&nbsp;", "\u{a0}")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// Writes those attributes that are allowed. The rest behind them, and whether the element ended with them.
fn attributes<'a>(mut rest: &'a str, out: &mut String) -> Option<(&'a str, bool)> {
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix("/>") {
            return Some((rest, true));
        }
        if let Some(rest) = rest.strip_prefix('>') {
            return Some((rest, false));
        }
        let (name, behind) = word(rest);
        let (value, behind) = behind.strip_prefix("=\"")?.split_once('"')?;
        if let Some((name, kind)) = ATTRIBUTES.iter().find(|(known, _)| *known == name)
            && let Some(value) = kind.allowed(value)
        {
            out.push_str(&format!(" {name}=\"{value}\""));
        }
        rest = behind;
    }
}

fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_lowercase());
    text.split_at(end.unwrap_or(text.len()))
}

impl Value {
    fn allowed(self, value: &str) -> Option<String> {
        match self {
            Self::OneOf(known) => known.contains(&value).then(|| value.to_owned()),
            Self::SomeOf(known) => {
                let words = value.split(' ').filter(|word| known.contains(word));
                let words: Vec<_> = words.collect();
                (!words.is_empty()).then(|| words.join(" "))
            }
            Self::Length => length(value),
        }
    }
}

/// A length that leaves a formula in its place: not negative, and at most 40 em.
fn length(value: &str) -> Option<String> {
    // Its maker turns `mu` into `em` and keeps the name.
    const UNITS: [(&str, &str, f32); 8] = [
        ("em", "em", 1.0),
        ("mu", "em", 1.0),
        ("ex", "ex", 0.5),
        ("pt", "pt", 0.1),
        ("px", "px", 0.07),
        ("mm", "mm", 0.3),
        ("cm", "cm", 3.0),
        ("in", "in", 7.5),
    ];
    let number = value.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let (_, unit, em) = UNITS
        .iter()
        .find(|(name, _, _)| *name == &value[number.len()..])?;
    let number: f32 = number.parse().ok()?;
    (0.0..=40.0)
        .contains(&(number * em))
        .then(|| format!("{number}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_is_written_again() {
        let same = "<math display=\"block\"><mrow><mi mathvariant=\"normal\">x</mi>\
            <mo stretchy=\"true\">=</mo><mspace width=\"0.5em\"></mspace></mrow></math>";
        assert_eq!(
            allowed(&same.replace("></mspace>", " />")).as_deref(),
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
                allowed(&format!("<math><mi>{text}</mi></math>")),
                Some(format!("<math><mi>{escaped}</mi></math>"))
            );
        }
    }

    #[test]
    fn any_other_element_refuses_the_whole() {
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
            assert_eq!(allowed(markup), None, "{markup}");
        }
        let deep = |depth| {
            let rows = ["<mrow>".repeat(depth), "</mrow>".repeat(depth)].concat();
            allowed(&format!("<math>{rows}</math>"))
        };
        assert!(deep(DEEPEST - 1).is_some() && deep(DEEPEST).is_none());
    }

    #[test]
    fn any_other_attribute_or_value_is_left_out() {
        for attribute in [
            "style=\"color:red\"",
            "onclick=\"alert(1)\"",
            "href=\"https://x.example\"",
            "display=\"contents\"",
            "class=\"listing\"",
            "width=\"-1em\"",
            "width=\"41em\"",
            "width=\"NaNem\"",
            "width=\"1vw\"",
            "width=\"1em;\"",
        ] {
            assert_eq!(
                allowed(&format!("<math {attribute}></math>")).as_deref(),
                Some("<math></math>"),
                "{attribute}"
            );
        }
        assert_eq!(
            allowed("<math width=\"1.5mu\"height=\"2pt\" class=\"x menv-cases\"></math>")
                .as_deref(),
            Some("<math width=\"1.5em\" height=\"2pt\" class=\"menv-cases\"></math>")
        );
    }
}
