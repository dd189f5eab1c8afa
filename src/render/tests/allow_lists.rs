//! Allow-lists: every element and attribute that a renderer may write.
//!
//! The lists contain no `style`, no event handler and no attribute that loads a resource. Links have one of three
//! schemes or stay on the page.

use super::parsed::AllowList;
use super::parsed::Value::{OneOf, Where};

/// The elements allowed in a listing of source code, a log or terminal output.
pub(crate) const LISTING: &AllowList = &[
    (
        "span",
        &[
            ("id", Where(|id| is_numbered(id, "L"))),
            ("data-n", Where(|number| is_numbered(number, ""))),
            ("data-l", OneOf("+|d|d+|i|i+|w|w+|e|e+")),
            ("hidden", OneOf("")),
            ("dir", OneOf("auto")),
            ("class", Where(|class| class == "block" || is_colour(class))),
        ],
    ),
    (
        "a",
        &[
            ("href", Where(is_address)),
            ("rel", OneOf("nofollow noopener noreferrer")),
        ],
    ),
    ("details", &[("open", OneOf(""))]),
    ("summary i u b", &[]),
];

/// The elements allowed in a patch, except for those of its listings.
pub(crate) const PATCH: &AllowList = &[
    (
        "span",
        &[
            ("id", Where(|id| is_numbered(id, "L"))),
            ("data-o", Where(|number| is_numbered(number, ""))),
            ("data-n", Where(|number| is_numbered(number, ""))),
            ("dir", OneOf("auto")),
            (
                "class",
                Where(|class| ["hunk", "pair"].contains(&class) || is_colour(class)),
            ),
            ("hidden", OneOf("")),
            ("inert", OneOf("")),
        ],
    ),
    (
        "ins del",
        &[
            ("id", Where(|id| is_numbered(id, "L"))),
            ("data-o", Where(|number| is_numbered(number, ""))),
            ("data-n", Where(|number| is_numbered(number, ""))),
            ("dir", OneOf("auto")),
        ],
    ),
    ("pre", &[("class", OneOf("listing")), ("hidden", OneOf(""))]),
    ("p", &[("class", OneOf("counts"))]),
    ("details", &[("open", OneOf(""))]),
    ("b bdi code i small summary", &[]),
];

/// The elements allowed in a table.
pub(crate) const TABLE: &AllowList = &[
    ("table thead tbody tr i", &[]),
    (
        "th td",
        &[
            ("class", OneOf("n")),
            ("dir", OneOf("auto")),
            ("colspan", Where(|count| is_numbered(count, ""))),
        ],
    ),
];

/// The elements allowed in formatted JSON.
pub(crate) const JSON: &AllowList = &[
    ("details", &[("open", OneOf(""))]),
    ("summary", &[("data-rest", Where(|_| true))]),
    ("span bdi", &[("class", OneOf("a|s|n|l|in"))]),
    ("div i", &[]),
];

/// The elements allowed in a Markdown document, except for those of formulas.
pub(crate) const DOCUMENT: &AllowList = &[
    (
        "em strong del sup sub kbd summary br hr i thead tbody tr",
        &[("class", OneOf("center|right"))],
    ),
    (
        "details",
        &[("open", OneOf("")), ("class", OneOf("center|right"))],
    ),
    ("blockquote ul table", &[("dir", OneOf("auto"))]),
    (
        "h2 h3 h4 h5 h6",
        &[
            ("id", Where(is_heading)),
            ("dir", OneOf("auto")),
            ("class", OneOf("center|right")),
        ],
    ),
    (
        "p",
        &[("class", OneOf("html|title")), ("dir", OneOf("auto|ltr"))],
    ),
    (
        "div",
        &[
            (
                "class",
                OneOf(
                    "table|center|right|alert note|alert tip|alert important|alert warning|alert caution",
                ),
            ),
            ("dir", OneOf("auto")),
            ("role", OneOf("group|note")),
            ("aria-label", OneOf("Table")),
            ("tabindex", OneOf("0")),
        ],
    ),
    (
        "pre",
        &[("class", OneOf("inexact")), ("tabindex", OneOf("0"))],
    ),
    ("code", &[("class", OneOf("tex|center|right"))]),
    (
        "ol",
        &[
            ("start", Where(|start| is_numbered(start, ""))),
            ("dir", OneOf("auto")),
        ],
    ),
    (
        "li",
        &[
            ("id", Where(|id| is_numbered(id, "n-"))),
            ("dir", OneOf("auto")),
        ],
    ),
    ("th td", &[("class", OneOf("left|center|right"))]),
    (
        "section",
        &[
            ("class", OneOf("notes")),
            ("aria-label", OneOf("Footnotes")),
        ],
    ),
    (
        "span",
        &[
            ("class", Where(|class| is_colour(class) || is_part(class))),
            ("role", OneOf("img|group")),
            ("aria-label", OneOf("done|to do|Formula")),
            ("tabindex", OneOf("0")),
        ],
    ),
    (
        "a",
        &[
            ("href", Where(is_address)),
            ("rel", OneOf("nofollow noopener noreferrer")),
            ("title", Where(|_| true)),
            ("id", Where(|id| is_numbered(id, "r-"))),
            ("class", OneOf("anchor|image")),
            ("tabindex", OneOf("-1")),
            ("aria-hidden", OneOf("true")),
            ("aria-label", OneOf("Back to the text")),
        ],
    ),
];

/// The elements allowed in a formula.
pub(crate) const FORMULA: &AllowList = &[(
    "math:math math:mfrac math:mi math:mn math:mo math:mover math:mroot math:mrow math:mspace math:msqrt math:msub \
     math:msubsup math:msup math:mtable math:mtd math:mtext math:mtr math:munder math:munderover",
    &[
        ("class", Where(is_arrangement)),
        ("depth", Where(is_length)),
        ("display", OneOf("inline|block")),
        ("displaystyle", OneOf("true|false")),
        ("height", Where(is_length)),
        ("largeop", OneOf("true|false")),
        ("linethickness", Where(is_length)),
        ("mathvariant", OneOf("normal")),
        ("maxsize", Where(is_length)),
        ("minsize", Where(is_length)),
        ("movablelimits", OneOf("true|false")),
        ("scriptlevel", OneOf("0|1|2")),
        ("stretchy", OneOf("true|false")),
        ("symmetric", OneOf("true|false")),
        ("width", Where(is_length)),
    ],
)];

/// Returns whether a value is this text followed by a number.
fn is_numbered(value: &str, start: &str) -> bool {
    let number = value.strip_prefix(start).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether this is the id of a heading. No character of such an id has a meaning in a URL.
fn is_heading(id: &str) -> bool {
    let name = id.strip_prefix("h-").unwrap_or_default();
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "-_".contains(c))
}

fn is_address(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let leads_elsewhere = ["https://", "http://", "mailto:"]
        .iter()
        .any(|scheme| lower.starts_with(scheme));
    leads_elsewhere
        || address.strip_prefix('#').is_some_and(is_heading)
        || is_numbered(address, "#n-")
        || is_numbered(address, "#r-")
}

/// Returns whether this is the class of an inline part that is not a highlighting class.
fn is_part(class: &str) -> bool {
    ["html", "task", "image", "math"].contains(&class)
}

/// Returns whether this is a syntax class or the classes of a terminal style.
fn is_colour(classes: &str) -> bool {
    let is_style = |class: &str| {
        let channel = class.strip_prefix(['r', 'g', 'b', 'R', 'G', 'B']);
        channel.is_some_and(|value| value.parse::<u8>().is_ok())
            || "ink ground bold faint italic under struck"
                .split(' ')
                .any(|word| word == class)
    };
    let is_token = classes.len() == 1 && "cksnlftvagohebupm".contains(classes);
    is_token || classes.split(' ').all(is_style)
}

/// Returns whether a length is so small that a formula stays roughly in its place.
fn is_length(length: &str) -> bool {
    let number = length.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let units = ["em", "ex", "pt", "px", "mm", "cm", "in"];
    let is_small = |number: f32| (0.0..1000.0).contains(&number);
    units.contains(&&length[number.len()..]) && number.parse().is_ok_and(is_small)
}

/// Returns whether these are classes that arrange the parts of a formula, or the class of its colour.
fn is_arrangement(classes: &str) -> bool {
    let is_colour = is_numbered(classes, "t") && classes.len() == 2;
    is_colour
        || classes.split(' ').all(|class| {
            let (kind, way) = class.split_once('-').unwrap_or_default();
            match kind {
                "cell" => ["left", "right"].contains(&way),
                "menv" => {
                    "align|alignlike|cases|cells-left|cells-right|hline|left-solid|right-solid"
                        .split('|')
                        .any(|known| known == way)
                }
                _ => false,
            }
        })
}
