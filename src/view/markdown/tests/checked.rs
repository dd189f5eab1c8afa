//! A reader of documents that takes nothing but what a document may hold.
//!
//! It is stricter than a browser: lower case, every value quoted, every element closed in turn, every `<` and `&` of a
//! text escaped. So what it takes a browser reads in the same way.

use std::collections::HashSet;

/// Which elements there are, and which of them stand in a line.
const BLOCKS: &str =
    "h2 h3 h4 h5 h6 p blockquote div pre ul ol li table thead tbody tr th td section hr";
const LINES: &str = "code em strong del a span sup br i";
const MATH: &str = "math mfrac mi mn mo mover mroot mrow mspace msqrt msub msubsup msup mtable mtd mtext mtr munder munderover";

/// Values that an attribute may have, if these are few.
const VALUES: [(&str, &str); 9] = [
    ("aria-hidden", "true"),
    (
        "aria-label",
        "done|to do|Table|Formula|Footnotes|Back to the text",
    ),
    (
        "class",
        "alert|alert tip|alert important|alert warning|alert caution|title|anchor|image|html|task|tex|math|table|notes|left|center|right",
    ),
    ("dir", "auto|ltr"),
    ("rel", "nofollow noopener noreferrer"),
    ("role", "img|group|note"),
    ("tabindex", "0|-1"),
    ("display", "inline|block"),
    ("mathvariant", "normal"),
];

/// What a document says.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) text: String,
    pub(super) links: Vec<String>,
    ids: HashSet<String>,
    open: Vec<String>,
}

impl Checked {
    /// Reads a document; fails where it holds anything else.
    #[track_caller]
    pub(super) fn of(html: &str) -> Self {
        let mut checked = Self::default();
        let mut parts = html.split('<');
        checked.text(parts.next().expect("the text before the first tag"));
        for part in parts {
            let (tag, text) = part.split_once('>').expect("a tag is closed");
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(checked.open.pop().as_deref(), Some(name), "{html}"),
                None => checked.tag(tag),
            }
            checked.text(text);
        }
        assert!(checked.open.is_empty(), "{:?} in {html}", checked.open);
        checked
    }

    fn tag(&mut self, tag: &str) {
        let (name, mut rest) = tag.split_at(tag.find(' ').unwrap_or(tag.len()));
        let is_in = |names: &str| names.split(' ').any(|known| known == name);
        let is_within = |name: &str| self.open.iter().any(|open| open == name);
        assert!(is_in(BLOCKS) || is_in(LINES) || is_in(MATH), "<{tag}>");
        if is_in(BLOCKS) {
            for open in &self.open {
                assert!(
                    BLOCKS.split(' ').any(|block| block == open)
                        && open != "p"
                        && !open.starts_with('h'),
                    "<{tag}> in <{open}>"
                );
            }
        }
        assert!(!(name == "a" && is_within("a")), "a link in a link");
        assert_eq!(
            is_in(MATH) && name != "math",
            is_within("math") && name != "i"
        );
        while !rest.is_empty() {
            let (attribute, behind) = rest[1..].split_once("=\"").expect("a name and a value");
            let (value, behind) = behind.split_once('"').expect("quotes are closed");
            self.attribute(name, attribute, value);
            rest = behind;
        }
        if !["br", "hr"].contains(&name) {
            self.open.push(name.to_owned());
        }
    }

    fn attribute(&mut self, element: &str, name: &str, value: &str) {
        assert!(!value.contains(['<', '>', '\n', '\0']), "{name}={value}");
        let known = VALUES.iter().find(|(known, _)| *known == name);
        let is_math = MATH.split(' ').any(|known| known == element);
        match (element, name) {
            ("a", "href") => {
                let schemes = ["https://", "http://", "mailto:", "#h-", "#n-", "#r-"];
                let lower = value.to_ascii_lowercase();
                assert!(
                    schemes.iter().any(|scheme| lower.starts_with(scheme)),
                    "{value}"
                );
                self.links.push(value.to_owned());
            }
            (_, "id") => {
                assert!(
                    ["h-", "n-", "r-"]
                        .iter()
                        .any(|start| value.starts_with(start))
                );
                assert!(self.ids.insert(value.to_owned()), "{value} twice");
            }
            ("ol", "start") => assert!(value.bytes().all(|byte| byte.is_ascii_digit())),
            ("a", "title") => {}
            // A colour of code.
            ("span", "class") if self.open.ends_with(&["pre".to_owned(), "code".to_owned()]) => {
                assert!(value.len() <= 2 && value.bytes().all(|byte| byte.is_ascii_lowercase()));
            }
            ("math", "display") | (_, "mathvariant") if is_math => {
                assert!(
                    known.is_some_and(|(_, values)| values.split('|').any(|known| known == value))
                );
            }
            // The allow-list of formulas has tests of its own.
            (_, name) if is_math => {
                assert!(!name.starts_with("on") && name != "style" && name != "href")
            }
            _ => {
                let (_, values) = known.unwrap_or_else(|| panic!("<{element} {name}={value}>"));
                assert!(
                    values.split('|').any(|known| known == value),
                    "{name}={value}"
                );
            }
        }
    }

    fn text(&mut self, text: &str) {
        let mut parts = text.split('&');
        self.text.push_str(parts.next().unwrap_or(""));
        for part in parts {
            let (entity, rest) = part.split_once(';').expect("an escaped character");
            self.text.push(match entity {
                "#38" => '&',
                "#60" => '<',
                "#62" => '>',
                "#34" => '"',
                "#39" => '\'',
                other => panic!("&{other};"),
            });
            self.text.push_str(rest);
        }
        let is_odd = |c| super::super::super::odd::odd(c).is_some();
        assert!(
            !text.contains(['"', '\'', '>']) && !text.contains(is_odd),
            "{text:?}"
        );
    }
}
