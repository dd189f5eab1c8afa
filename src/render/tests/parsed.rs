//! Parsed HTML: reads a renderer's output as a browser does.
//!
//! Invariants: the HTML has no error, and every element is closed by its own tag. All its elements and attributes are
//! on the allow-list. No character is unsafe. No link contains an element that can take the focus.

use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::{ParseOpts, QualName, local_name, ns, parse_fragment};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::render::unsafe_char::unsafe_char;

/// Names of elements, separated by spaces, and the attributes that each may have. Names of MathML elements are written
/// as `math:mi`.
pub(crate) type AllowList = [(&'static str, &'static [(&'static str, Value)])];

/// The values that an attribute may have.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value {
    /// One of these values, which are separated by `|`.
    OneOf(&'static str),
    /// The values for which this function returns true.
    Where(fn(&str) -> bool),
}

/// A parsed HTML fragment.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) text: String,
    pub(crate) elements: Vec<Element>,
}

/// An element of the parsed fragment.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    /// The names of the elements around this one. The outermost is first.
    pub(crate) within: Vec<String>,
}

impl Parsed {
    /// Parses a fragment. Panics if an invariant is violated.
    #[track_caller]
    pub(crate) fn of(html: &str, allowed: &[&AllowList]) -> Self {
        let options = ParseOpts {
            tokenizer: TokenizerOpts {
                exact_errors: true,
                ..TokenizerOpts::default()
            },
            ..ParseOpts::default()
        };
        let context = QualName::new(None, ns!(html), local_name!("div"));
        let page = parse_fragment(RcDom::default(), options, context, Vec::new(), false).one(html);
        let errors = page.errors.borrow();
        assert!(errors.is_empty(), "{errors:?} in {html}");
        let mut parsed = Self::default();
        for root in page.document.children.borrow().iter() {
            for child in root.children.borrow().iter() {
                parsed.read(child, &mut Vec::new());
            }
        }
        parsed.check_tags(html);
        parsed.text = spread(&parsed.text);
        assert!(is_plain(&parsed.text), "{:?}", parsed.text);
        for element in &parsed.elements {
            element.check(allowed);
        }
        parsed
    }

    /// Returns the destinations of the links.
    pub(crate) fn links(&self) -> Vec<&str> {
        let elements = self.elements.iter();
        elements
            .filter_map(|element| element.attribute("href"))
            .collect()
    }

    fn read(&mut self, node: &Handle, within: &mut Vec<String>) {
        match &node.data {
            NodeData::Text { contents } => self.text.push_str(&contents.borrow()),
            NodeData::Element { name, attrs, .. } => {
                let is_math = name.ns == ns!(mathml);
                assert!(is_math || name.ns == ns!(html), "{name:?}");
                let name = [if is_math { "math:" } else { "" }, &*name.local].concat();
                let attributes = attrs.borrow();
                let attributes = attributes
                    .iter()
                    .map(|one| (one.name.local.to_string(), one.value.to_string()));
                self.elements.push(Element {
                    name: name.clone(),
                    attributes: attributes.collect(),
                    within: within.clone(),
                });
                within.push(name);
                for child in node.children.borrow().iter() {
                    self.read(child, within);
                }
                within.pop();
            }
            other => panic!("{other:?}"),
        }
    }

    /// Checks that each element has both tags. Browsers add missing tags and do not always report an error.
    fn check_tags(&self, html: &str) {
        let is_void = |element: &&Element| ["br", "hr"].contains(&element.name.as_str());
        let void = self.elements.iter().filter(is_void).count();
        let tags = 2 * self.elements.len() - void;
        assert_eq!(html.matches('<').count(), tags, "tags of {html}");
    }
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn check(&self, allowed: &[&AllowList]) {
        let is_named = |names: &str| names.split(' ').any(|name| name == self.name);
        let rules = allowed.iter().copied().flatten();
        let rules: Vec<_> = rules.filter(|(names, _)| is_named(names)).collect();
        assert!(!rules.is_empty(), "<{}> is not allowed", self.name);
        for (name, value) in &self.attributes {
            let known = rules.iter().flat_map(|(_, known)| known.iter());
            let mut known = known.filter(|(known, _)| known == name);
            let is_allowed = |rule: &Value| match rule {
                Value::OneOf(values) => values.split('|').any(|one| one == value),
                Value::Where(is_so) => is_so(value),
            };
            assert!(
                known.any(|(_, rule)| is_allowed(rule)) && is_plain(value),
                "<{} {name}={value:?}> is not allowed",
                self.name
            );
        }
        let takes_the_focus = self.name == "a" || self.attribute("tabindex").is_some();
        let is_in_link = self.within.iter().any(|name| name == "a");
        assert!(!(is_in_link && takes_the_focus), "in a link: {self:?}");
    }
}

/// Repeats each invisible character whose number is told: `[U+200B ×2]`.
fn spread(text: &str) -> String {
    let mut parts = text.split(" ×");
    let mut spread = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let run = part
            .split_once(']')
            .and_then(|(run, rest)| Some((run.parse().ok()?, rest)));
        let (Some(start), Some((run, rest))) = (spread.rfind("[U+"), run) else {
            spread.extend([" ×", part]);
            continue;
        };
        let character = spread.split_off(start) + "]";
        spread += &(character.repeat(run) + rest);
    }
    spread
}

fn is_plain(text: &str) -> bool {
    // Formulas have operators that are not written.
    let is_operator = |c| matches!(c, '\u{2061}'..='\u{2064}');
    text.chars()
        .all(|c| unsafe_char(c).is_none() || is_operator(c))
}
