//! Dollars: which of them stand around formulas, and which are of prices and variables.
//!
//! Two dollars are a pair if the first is not directly behind a letter or digit nor before white space, the second not
//! directly behind white space nor before a letter or digit, and no dollar stands between them but in braces, as in
//! `\text{if $x$}`. So it is with two runs of two, which may have white space within. Letters beyond ASCII do not
//! count: some scripts put no space between a word and a formula.
//! What it must not know: what a formula says.
//! Invariants: a dollar of the prose that is of no pair is escaped, so that the parser takes it for what it is. Nothing
//! else of the text is touched.
//! Cost: one pass of the parser, and one over the text; none for a text without dollars.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::EVENTS_A_CHECK;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// The text, with those dollars escaped that stand around no formula, unless finding them uses up the time. The flavour
/// is one without formulas.
pub(super) fn escaped<'a>(
    text: &'a str,
    flavour: Options,
    budget: TimeBudget<'_>,
) -> Result<Cow<'a, str>, OutOfTime> {
    if !text.contains('$') {
        return Ok(Cow::Borrowed(text));
    }
    let mut dollars = Dollars::of(text);
    // How many tags are open within one whose text is not prose.
    let mut verbatim = 0_usize;
    let events = Parser::new_ext(text, flavour).into_offset_iter();
    for (number, (event, range)) in events.enumerate() {
        if number.is_multiple_of(EVENTS_A_CHECK) {
            budget.check()?;
        }
        match event {
            Event::Text(_) if verbatim == 0 => dollars.read(range),
            Event::Start(tag) => {
                verbatim += usize::from(verbatim > 0 || is_verbatim(&tag));
                match tag {
                    Tag::Link { .. } => dollars.begin_part(),
                    Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Image { .. } => {}
                    _ => dollars.begin_block(),
                }
            }
            Event::End(tag) => {
                verbatim = verbatim.saturating_sub(1);
                if tag == TagEnd::Link {
                    dollars.end_part();
                }
            }
            _ => dollars.pass_over(range),
        }
    }
    Ok(dollars.escaped())
}

/// Whether the text in such a tag has no escapes, or is a label that would no longer be that of its definition.
fn is_verbatim(tag: &Tag<'_>) -> bool {
    match tag {
        Tag::CodeBlock(_) => true,
        Tag::Link { link_type, .. } | Tag::Image { link_type, .. } => matches!(
            link_type,
            LinkType::Autolink | LinkType::Email | LinkType::Collapsed | LinkType::Shortcut
        ),
        _ => false,
    }
}

/// The dollars of a text, as far as it was read.
struct Dollars<'a> {
    text: &'a str,
    /// Where each run of dollars lies, in order.
    runs: Vec<Range<usize>>,
    /// The first and the second run of each pair, by their indices; a pair stands behind those within it.
    pairs: Vec<(usize, usize)>,
    /// The run that may begin a formula, for the block, and for each brace and link that is open in it. Never empty.
    open: Vec<Option<usize>>,
    /// No run before this one begins a formula any more.
    none_before: usize,
}

impl<'a> Dollars<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            text,
            runs: Vec::new(),
            pairs: Vec::new(),
            open: vec![None],
            none_before: 0,
        }
    }

    /// No formula goes from one block into another.
    fn begin_block(&mut self) {
        self.open.clear();
        self.open.push(None);
    }

    /// Something begins that a formula may hold or be held by, and not end in.
    fn begin_part(&mut self) {
        self.open.push(None);
    }

    fn end_part(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        } else {
            self.open[0] = None;
        }
    }

    /// Reads a piece of prose.
    fn read(&mut self, range: Range<usize>) {
        self.read_marks(range, Self::add);
    }

    /// Reads a piece of code or of a tag. The parser takes whichever begins first, that or a formula, so a formula may
    /// hold it; but not if it has a dollar.
    fn pass_over(&mut self, range: Range<usize>) {
        self.read_marks(range, |dollars, _| dollars.none_before = dollars.runs.len());
    }

    fn read_marks(&mut self, range: Range<usize>, run: impl Fn(&mut Self, Range<usize>)) {
        let bytes = &self.text.as_bytes()[..range.end];
        let mut at = range.start;
        while let Some(found) = next_mark(&bytes[at..]) {
            let start = at + found;
            at = start + 1;
            if is_escaped(&bytes[..start]) {
                continue;
            }
            match bytes[start] {
                b'{' => self.begin_part(),
                b'}' => self.end_part(),
                _ => {
                    at += bytes[at..].iter().take_while(|b| **b == b'$').count();
                    run(self, start..at);
                }
            }
        }
    }

    fn add(&mut self, run: Range<usize>) {
        let bytes = self.text.as_bytes();
        let before = run.start.checked_sub(1).map_or(b' ', |at| bytes[at]);
        let after = bytes.get(run.end).copied().unwrap_or(b' ');
        let (may_open, may_close) = match run.len() {
            1 => (!after.is_ascii_whitespace(), !before.is_ascii_whitespace()),
            2 => (true, true),
            _ => (false, false),
        };
        let this = self.runs.len();
        let opened = self.open.last().copied().flatten();
        let first = opened.filter(|first| {
            *first >= self.none_before
                && may_close
                && !after.is_ascii_alphanumeric()
                && self.runs[*first].len() == run.len()
        });
        self.pairs.extend(first.map(|first| (first, this)));
        let opens = first.is_none() && may_open && !before.is_ascii_alphanumeric();
        if let Some(open) = self.open.last_mut() {
            *open = opens.then_some(this);
        }
        self.runs.push(run);
    }

    fn escaped(self) -> Cow<'a, str> {
        let mut is_of_formula = vec![false; self.runs.len()];
        let mut outermost = self.runs.len();
        for (first, second) in self.pairs.into_iter().rev() {
            if second < outermost {
                is_of_formula[first..=second].fill(true);
                outermost = first;
            }
        }
        let mut escaped = String::new();
        let mut written = 0;
        for (run, is_of_formula) in self.runs.into_iter().zip(is_of_formula) {
            if !is_of_formula {
                escaped.push_str(&self.text[written..run.start]);
                escaped.push_str(&"\\$".repeat(run.len()));
                written = run.end;
            }
        }
        if written == 0 {
            return Cow::Borrowed(self.text);
        }
        escaped.push_str(&self.text[written..]);
        Cow::Owned(escaped)
    }
}

fn next_mark(bytes: &[u8]) -> Option<usize> {
    bytes
        .iter()
        .position(|byte| matches!(byte, b'$' | b'{' | b'}'))
}

/// Whether what follows on these bytes is escaped by the last of them.
fn is_escaped(before: &[u8]) -> bool {
    let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    backslashes.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::super::source::FLAVOUR;
    use super::OutOfTime;
    use super::TimeBudget;

    fn escaped(text: &str) -> String {
        let escaped = super::escaped(text, FLAVOUR, TimeBudget::until(&|| false));
        escaped.expect("there is time").into_owned()
    }

    #[test]
    fn dollars_around_a_formula_are_left_as_they_are() {
        for text in [
            "",
            "no dollar",
            "$x$, ($y$) and *$z$*",
            "$a_b$-th, “$c*d$” and $e*f$.",
            "令$x$为实数",
            "$a\nb$",
            "$\\$5$ and \\$6",
            "$$\nx\n$$ and $$ y $$",
            "$$x \\text{ if $y$ or $5}$$",
            "$\\{x\\}$ $\\{$ $\\}$",
            "$`a_b`$",
            "[$x$](#a) $[0,1](x)$",
            "|a|\n|-|\n|$x$|",
            "`$5 $6` and\n\n    $7\n\n```\n$8\n```",
            "<https://a.example/$5> <a b=\"$5\">",
            "[$5]\n\n[$5]: https://a.example",
        ] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn dollars_of_prices_and_variables_are_escaped() {
        // Each of these signs stands for a dollar that is escaped.
        for text in [
            "It costs ¤5-¤10.",
            "¤100,000–¤200,000",
            "¤HOME/bin:¤PATH",
            "¤{HOME}. Between US¤5/US¤10",
            "5¤/month, 10¤/year",
            "¤5 and $x$, a¤b¤ and $y$.",
            "¤ x¤ and $y$",
            "¤}¤ $x$",
            "¤{a¤ $x$}",
            "¤a\n\nb¤",
            "- ¤a\n- b¤",
            "|a|b|\n|-|-|\n|¤a|b¤|",
            "[¤5](#a) or [10¤](#b)",
            "¤¤¤, ¤¤¤¤ and ¤¤¤¤¤",
            "pid ¤¤ of a¤¤b",
            "¤a ¤¤b¤¤c",
            "\\\\¤5",
            "`$5` or ¤6",
            "¤¤`$`¤¤",
        ] {
            let written = text.replace('¤', "$");
            assert_eq!(escaped(&written), text.replace('¤', "\\$"));
        }
    }

    #[test]
    fn looking_for_dollars_ends_when_the_time_does() {
        let escaped = super::escaped("a $b", FLAVOUR, TimeBudget::until(&|| true));
        assert_eq!(escaped, Err(OutOfTime));
    }
}
