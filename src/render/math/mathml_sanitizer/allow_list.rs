//! The allow-list: the MathML elements, attributes and values that a page may contain.
//!
//! The attribute `style` is not allowed, because the Content-Security-Policy of a page forbids it. Colours become
//! classes.

use super::colour;

/// The content that an element may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentModel {
    Elements,
    Text,
    Empty,
}

/// The values that an attribute may have.
#[derive(Clone, Copy)]
enum Value {
    OneOf(&'static [&'static str]),
    /// Any number of classes, separated by spaces.
    Classes,
    Length,
}

const ELEMENTS: [(&str, ContentModel); 19] = [
    ("math", ContentModel::Elements),
    ("mfrac", ContentModel::Elements),
    ("mi", ContentModel::Text),
    ("mn", ContentModel::Text),
    ("mo", ContentModel::Text),
    ("mover", ContentModel::Elements),
    ("mroot", ContentModel::Elements),
    ("mrow", ContentModel::Elements),
    ("mspace", ContentModel::Empty),
    ("msqrt", ContentModel::Elements),
    ("msub", ContentModel::Elements),
    ("msubsup", ContentModel::Elements),
    ("msup", ContentModel::Elements),
    ("mtable", ContentModel::Elements),
    ("mtd", ContentModel::Elements),
    ("mtext", ContentModel::Text),
    ("mtr", ContentModel::Elements),
    ("munder", ContentModel::Elements),
    ("munderover", ContentModel::Elements),
];

const BOOLEAN: Value = Value::OneOf(&["true", "false"]);

const ATTRIBUTES: [(&str, Value); 15] = [
    ("class", Value::Classes),
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

/// The CSS classes that the style sheet defines.
const CLASSES: [&str; 10] = [
    "cell-left",
    "cell-right",
    "menv-align",
    "menv-alignlike",
    "menv-cases",
    "menv-cells-left",
    "menv-cells-right",
    "menv-hline",
    "menv-left-solid",
    "menv-right-solid",
];

/// The CSS classes without which a formula means the same. They place equation numbers and lines of many rows.
const MINOR_CLASSES: [&str; 5] = [
    "menv-arraylike",
    "menv-border-only",
    "menv-multline",
    "menv-nonumber",
    "menv-with-eqn",
];

/// Returns an element's name as a literal of this table, and the content that the element may have. Returns `None` if
/// the element is not allowed.
pub(super) fn element(name: &str) -> Option<(&'static str, ContentModel)> {
    ELEMENTS.into_iter().find(|(known, _)| *known == name)
}

/// Returns the attribute in the form that may be written, or `Some(None)` if it can be left out. Returns `None` if its
/// name or value is not allowed.
pub(super) fn attribute(name: &str, value: &str) -> Option<Option<(&'static str, String)>> {
    if is_minor(name, value) {
        return Some(None);
    }
    if name == "style" {
        return Some(colour::class(value)?.map(|class| ("class", class.to_owned())));
    }
    let (name, allowed) = ATTRIBUTES.into_iter().find(|(known, _)| *known == name)?;
    let value = match allowed {
        Value::OneOf(known) => known.contains(&value).then(|| value.to_owned())?,
        Value::Classes => {
            let (kept, other): (Vec<_>, Vec<_>) =
                value.split(' ').partition(|word| CLASSES.contains(word));
            if !other.iter().all(|word| MINOR_CLASSES.contains(word)) {
                return None;
            }
            if kept.is_empty() {
                return Some(None);
            }
            kept.join(" ")
        }
        Value::Length => length(value)?,
    };
    Some(Some((name, value)))
}

/// Returns whether this is the height of a row, or a small negative space such as `\!`, which MathML does not know.
fn is_minor(name: &str, value: &str) -> bool {
    let width = match (name, value.split_once(": ")) {
        ("style", Some(("height", _))) => return true,
        ("style", Some(("margin-left", width))) => width,
        ("width", None) => value,
        _ => return false,
    };
    let em = ["em", "mu"]
        .iter()
        .find_map(|unit| width.strip_suffix(unit));
    em.and_then(|em| em.parse().ok())
        .is_some_and(|em: f32| (-0.3..0.0).contains(&em))
}

/// Returns a length if it is not negative and at most 40 em. Returns `None` for other lengths, which could move a
/// formula out of its place.
fn length(value: &str) -> Option<String> {
    // Each entry is the unit, the unit to write, and its size in em. `pulldown-latex` converts `mu` to `em` but keeps
    // the name.
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
