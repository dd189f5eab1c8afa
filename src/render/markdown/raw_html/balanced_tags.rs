//! Balanced tags: finds the start and end tags that belong together, before the document is written.
//!
//! Invariants: two tags that belong together are in the same element of the document, and so nested that neither
//! crosses another such pair. A `<details>` contains whole blocks and at most one `<summary>`, which is in the raw HTML
//! of one block. A tag without a partner is text.
//! Cost: one pass of the parser. A text without such an end tag costs a search.

use pulldown_cmark::{Event, Tag as MarkdownTag, TagEnd};

use super::tag::{Name, Tag, Token, tokens};
use crate::render::markdown::limits::EVENTS_PER_CHECK;
use crate::render::markdown::source::MarkdownSource;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Maximum number of start tags that wait for their end tag in one element.
const MAX_OPEN: usize = 32;

/// For each tag that may need a partner, whether it has one. The order is that of the text.
#[derive(Debug, Default)]
pub(in crate::render::markdown) struct BalancedTags {
    have_partner: Vec<bool>,
    next: usize,
}

impl BalancedTags {
    /// Finds the balanced tags of a text.
    ///
    /// # Errors
    /// Returns [`OutOfTime`] if the budget is used up.
    pub(in crate::render::markdown) fn of(
        source: &MarkdownSource<'_>,
        budget: TimeBudget<'_>,
    ) -> Result<Self, OutOfTime> {
        let mut search = Search {
            open: vec![Vec::new()],
            ..Search::default()
        };
        if may_have_end_tag(source.body()) {
            for (number, (event, _)) in source.events().enumerate() {
                if number.is_multiple_of(EVENTS_PER_CHECK) {
                    budget.check()?;
                }
                search.event(&event);
            }
        }
        Ok(Self {
            have_partner: search.finish(),
            next: 0,
        })
    }

    /// Returns whether the next tag has a partner. Must be called once for each tag but `<br>`, in order.
    pub(super) fn next_has_partner(&mut self) -> bool {
        self.next += 1;
        self.have_partner.get(self.next - 1) == Some(&true)
    }
}

/// Returns the tag if it is in a line of text and needs a partner.
pub(super) fn inline_tag(html: &str) -> Option<Tag> {
    Tag::parse(html).filter(|tag| tag.name.is_inline() && tag.name != Name::Br)
}

/// Returns whether the raw HTML of a block starts with a tag that a document may use. Otherwise it is text as a whole.
pub(super) fn starts_with_tag(html: &str) -> bool {
    matches!(tokens(html.trim_start()).next(), Some(Token::Tag(..)))
}

fn is_inline(tag: &MarkdownTag<'_>) -> bool {
    matches!(
        tag,
        MarkdownTag::Emphasis
            | MarkdownTag::Strong
            | MarkdownTag::Strikethrough
            | MarkdownTag::Link { .. }
            | MarkdownTag::Image { .. }
    )
}

fn may_have_end_tag(text: &str) -> bool {
    let names = ["details", "kbd", "sub", "sup"];
    text.match_indices("</").any(|(at, _)| {
        let rest = &text.as_bytes()[at + "</".len()..];
        let is_at_start = |name: &str| {
            rest.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        };
        names.iter().any(|name| is_at_start(name))
    })
}

/// The tags of a text that precede the current event.
#[derive(Default)]
struct Search {
    have_partner: Vec<bool>,
    /// The start tags without an end tag so far: those in no element, and those in each open element. Never empty.
    open: Vec<Vec<StartTag>>,
    /// The tags of each summary, and the start tag of its details.
    summaries: Vec<[usize; 3]>,
    /// The raw HTML of the current block.
    block: Option<String>,
}

struct StartTag {
    number: usize,
    name: Name,
    /// Whether this is a details element that has a summary.
    has_summary: bool,
}

impl Search {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(MarkdownTag::HtmlBlock) => self.block = Some(String::new()),
            Event::Html(html) => self.block.get_or_insert_default().push_str(html),
            Event::End(TagEnd::HtmlBlock) => self.end_block(),
            Event::Start(tag) => {
                if !is_inline(tag) {
                    self.end_line();
                }
                self.open.push(Vec::new());
            }
            Event::End(_) => _ = self.open.pop(),
            Event::InlineHtml(html) => {
                if let Some(tag) = inline_tag(html) {
                    self.tag(tag);
                }
            }
            _ => {}
        }
    }

    fn end_block(&mut self) {
        let block = self.block.take().unwrap_or_default();
        if starts_with_tag(&block) {
            for token in tokens(&block) {
                if let Token::Tag(tag, _) = token
                    && tag.name != Name::Br
                {
                    self.tag(tag);
                }
            }
        }
        self.end_line();
    }

    /// Forgets the start tags that cannot contain a block.
    fn end_line(&mut self) {
        self.siblings().retain(|tag| tag.name == Name::Details);
    }

    fn tag(&mut self, tag: Tag) {
        let number = self.have_partner.len();
        self.have_partner.push(false);
        if tag.is_end {
            self.end_tag(tag.name, number);
        } else {
            self.start_tag(tag.name, number);
        }
    }

    fn start_tag(&mut self, name: Name, number: usize) {
        if name == Name::Details {
            self.end_line();
        }
        let siblings = self.siblings();
        match (name, siblings.last_mut()) {
            (Name::Summary, Some(details))
                if details.name == Name::Details && !details.has_summary =>
            {
                details.has_summary = true;
            }
            (Name::Summary, _) => return,
            _ => {}
        }
        if siblings.len() < MAX_OPEN {
            siblings.push(StartTag {
                number,
                name,
                has_summary: false,
            });
        }
    }

    fn end_tag(&mut self, name: Name, number: usize) {
        let siblings = self.siblings();
        let Some(at) = siblings.iter().rposition(|tag| tag.name == name) else {
            return;
        };
        let start = siblings[at].number;
        let details = at.checked_sub(1).map_or(start, |at| siblings[at].number);
        siblings.truncate(at);
        self.have_partner[start] = true;
        self.have_partner[number] = true;
        if name == Name::Summary {
            self.summaries.push([details, start, number]);
        }
    }

    /// Returns the start tags in the current element.
    fn siblings(&mut self) -> &mut Vec<StartTag> {
        self.open.last_mut().expect("never empty")
    }

    fn finish(mut self) -> Vec<bool> {
        for [details, start, end] in self.summaries {
            let is_in_details = self.have_partner[details];
            self.have_partner[start] = is_in_details;
            self.have_partner[end] = is_in_details;
        }
        self.have_partner
    }
}
