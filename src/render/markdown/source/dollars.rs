//! Dollars: distinguishes dollar signs around formulas from those of prices and variables.
//!
//! Two dollars form a pair under three conditions. The first does not follow a letter or digit and is not followed by
//! white space. The second does not follow white space and is not followed by a letter or digit. Between them are no
//! other dollars except in braces, as in `\text{if $x$}`. Two double dollars (`$$`) form a pair under the same
//! conditions, but white space inside is allowed. Only ASCII letters count here, because some scripts put no space
//! between a word and a formula.
//! Cost: one pass over the text.

use std::ops::Range;

/// The dollars of a text that precede the current event.
pub(super) struct Dollars<'a> {
    text: &'a str,
    /// The ranges of consecutive dollars (runs), in order.
    runs: Vec<Range<usize>>,
    /// The indices of the first and second run of each pair. An outer pair comes after the pairs inside it.
    pairs: Vec<(usize, usize)>,
    /// The runs that may start a formula: one for the block, and one for each open brace or link in the block. The list
    /// is never empty.
    openers: Vec<Option<usize>>,
    /// Runs with a lower index can no longer start a formula.
    first_opener: usize,
}

impl<'a> Dollars<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            runs: Vec::new(),
            pairs: Vec::new(),
            openers: vec![None],
            first_opener: 0,
        }
    }

    /// Starts a block. A formula cannot continue into the next block.
    pub(super) fn start_block(&mut self) {
        self.openers.clear();
        self.openers.push(None);
    }

    /// Starts a brace or a link. A formula that starts inside must end inside.
    pub(super) fn start_group(&mut self) {
        self.openers.push(None);
    }

    pub(super) fn end_group(&mut self) {
        if self.openers.len() > 1 {
            self.openers.pop();
        } else {
            self.openers[0] = None;
        }
    }

    pub(super) fn read_prose(&mut self, range: Range<usize>) {
        self.read_marks(range, Self::add_run);
    }

    /// Skips code, a tag or a URL. If code or a tag overlaps a formula, the parser takes the one that starts first. So
    /// a formula may contain these, but only without dollars.
    pub(super) fn skip(&mut self, range: Range<usize>) {
        self.read_marks(range, |dollars, _| {
            dollars.first_opener = dollars.runs.len();
        });
    }

    fn read_marks(&mut self, range: Range<usize>, on_run: impl Fn(&mut Self, Range<usize>)) {
        let bytes = &self.text.as_bytes()[..range.end];
        let mut at = range.start;
        while let Some(found) = next_mark(&bytes[at..]) {
            let start = at + found;
            at = start + 1;
            if is_escaped(&bytes[..start]) {
                continue;
            }
            match bytes[start] {
                b'{' => self.start_group(),
                b'}' => self.end_group(),
                _ => {
                    at += bytes[at..].iter().take_while(|b| **b == b'$').count();
                    on_run(self, start..at);
                }
            }
        }
    }

    fn add_run(&mut self, run: Range<usize>) {
        let bytes = self.text.as_bytes();
        let before = run.start.checked_sub(1).map_or(b' ', |at| bytes[at]);
        let after = bytes.get(run.end).copied().unwrap_or(b' ');
        let (may_open, may_close) = match run.len() {
            1 => (!after.is_ascii_whitespace(), !before.is_ascii_whitespace()),
            2 => (true, true),
            _ => (false, false),
        };
        let this = self.runs.len();
        let opener = self.openers.last_mut().expect("never empty");
        let first = opener.filter(|first| {
            *first >= self.first_opener
                && may_close
                && !after.is_ascii_alphanumeric()
                && self.runs[*first].len() == run.len()
        });
        self.pairs.extend(first.map(|first| (first, this)));
        let opens = first.is_none() && may_open && !before.is_ascii_alphanumeric();
        *opener = opens.then_some(this);
        self.runs.push(run);
    }

    /// Returns the dollars outside of formulas, and the formulas, both in order.
    pub(super) fn finish(self) -> (Vec<usize>, Vec<Range<usize>>) {
        let mut formulas = Vec::new();
        let mut outermost = self.runs.len();
        for (first, second) in self.pairs.into_iter().rev() {
            if second < outermost {
                formulas.push(self.runs[first].start..self.runs[second].end);
                outermost = first;
            }
        }
        formulas.reverse();
        let mut dollars: Vec<usize> = self.runs.into_iter().flatten().collect();
        retain_outside(&mut dollars, &formulas);
        (dollars, formulas)
    }
}

/// Removes the positions that are in one of these ranges. Both are in order.
pub(super) fn retain_outside(positions: &mut Vec<usize>, mut ranges: &[Range<usize>]) {
    positions.retain(|at| {
        while let [first, rest @ ..] = ranges
            && first.end <= *at
        {
            ranges = rest;
        }
        ranges.first().is_none_or(|range| *at < range.start)
    });
}

fn next_mark(bytes: &[u8]) -> Option<usize> {
    bytes
        .iter()
        .position(|byte| matches!(byte, b'$' | b'{' | b'}'))
}

/// Returns whether a backslash at the end of these bytes escapes the next byte.
fn is_escaped(before: &[u8]) -> bool {
    let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    backslashes.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::super::escapes::tests::escaped;

    #[test]
    fn dollars_around_a_formula_are_not_changed() {
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
        // In these texts, `¤` stands for a dollar that must be escaped.
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
}
