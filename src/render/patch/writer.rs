//! Writes a parsed patch as HTML.

use std::fmt::{self, Write};

use super::coloured::{ColouredLine, coloured, highlighted, mark_words};
use super::file::File;
use super::hunk::Kind;
use super::parser::{Line, Parsed, Section};
use crate::paste::Language;
use crate::render::code::Highlighter;
use crate::render::escape::write_text;
use crate::render::humanize;
use crate::render::listing::write_highlighted;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// The HTML so far, and how to write on.
pub(super) struct Writer<'w> {
    pub(super) html: String,
    /// Whether both sides stand beside each other.
    pub(super) is_split: bool,
    /// The language of all files. `None` means that their names tell it.
    pub(super) language: Option<Language>,
    pub(super) budget: TimeBudget<'w>,
    /// True when the time for colours and marks is over.
    pub(super) is_late: bool,
    pub(super) highlighter: Highlighter,
    /// The number of written lines.
    pub(super) lines: usize,
}

impl Writer<'_> {
    /// Writes all sections, and before them how many files change, unless it is one, whose counts say all.
    pub(super) fn write(&mut self, parsed: &Parsed<'_>) -> fmt::Result {
        if parsed.files > 1 {
            let files = humanize::count(parsed.files, "file");
            write!(self.html, "<p class=\"counts\">{files} ")?;
            self.write_counts(parsed.sections.iter().flat_map(|section| &section.lines))?;
            self.html.push_str("</p>\n");
        }
        for section in &parsed.sections {
            if let Some(file) = &section.file {
                self.write_file(file, &section.lines)?;
            }
            self.write_listing(section)?;
            self.html
                .push_str(section.file.as_ref().map_or("", |_| "</details>\n"));
        }
        Ok(())
    }

    fn write_counts<'l>(
        &mut self,
        lines: impl Iterator<Item = &'l Line<'l>> + Clone,
    ) -> fmt::Result {
        let count = |kind| {
            lines
                .clone()
                .filter(|line| line.kind == kind && line.is_code())
                .count()
        };
        let counts = [Kind::Added, Kind::Removed].map(count);
        if counts == [0; 2] {
            return Ok(());
        }
        let [added, removed] = counts.map(humanize::number);
        write!(self.html, "<ins>+{added}</ins> <del>−{removed}</del>")
    }

    /// Writes the start of a file, which names it.
    fn write_file(&mut self, file: &File<'_>, lines: &[Line<'_>]) -> fmt::Result {
        self.html.push_str("<details open><summary><bdi>");
        let (old, new) = file.names();
        if let Some(old) = old {
            write_text(old, &mut self.html)?;
            self.html.push_str("</bdi> → <bdi>");
        }
        write_text(new, &mut self.html)?;
        self.html.push_str("</bdi> ");
        for fact in &file.facts {
            write!(self.html, "<small>{fact}</small> ")?;
        }
        self.write_counts(lines.iter())?;
        self.html.push_str("</summary>\n");
        Ok(())
    }

    /// Writes the lines of a section. If all of them are hidden or blank, the box around them is hidden too. They stay
    /// part of what is copied.
    fn write_listing(&mut self, section: &Section<'_>) -> fmt::Result {
        let is_hidden = |line: &Line<'_>| line.kind == Kind::Header || line.text.trim().is_empty();
        let is_hidden = section.lines.iter().all(is_hidden);
        let hidden = if is_hidden { " hidden" } else { "" };
        write!(self.html, "<pre class=\"listing\"{hidden}><code>")?;
        let file = section.file.as_ref();
        let named = file.and_then(|file| Language::from_file_name(file.names().1));
        let language = self.language.or(named).unwrap_or(Language::PLAIN);
        for hunk in section.lines.chunk_by(|_, next| next.kind != Kind::Hunk) {
            let highlight =
                |it: &mut Self| highlighted(hunk, language, &mut it.highlighter, &it.budget);
            let spans = self.in_time(highlight).unwrap_or_default();
            let mut lines = coloured(hunk, &spans);
            for group in lines.chunk_by_mut(|one, next| group_of(one) == group_of(next)) {
                self.write_group(group)?;
            }
        }
        self.html.push_str("</code></pre>\n");
        Ok(())
    }

    /// Takes a step that a page can do without. Returns `None` if the time is over.
    fn in_time<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T, OutOfTime>) -> Option<T> {
        let done = (!self.is_late).then(|| step(self).ok())?;
        self.is_late = done.is_none();
        done
    }

    fn write_group(&mut self, group: &mut [ColouredLine<'_>]) -> fmt::Result {
        let kind = group_of(&group[0]);
        if kind == Kind::Removed {
            self.in_time(|it| mark_words(group, &it.budget));
        }
        let is_pair = self.is_split && matches!(kind, Kind::Removed | Kind::Context);
        if is_pair {
            self.html.push_str("<span class=\"pair\">");
        }
        for one in group.iter() {
            self.lines += 1;
            self.write_line(one, false)?;
            if is_pair && kind == Kind::Context {
                self.write_line(one, true)?;
            }
        }
        if is_pair {
            self.html.push_str("</span>");
        }
        Ok(())
    }

    /// Writes a line. A twin is an unchanged line once more, as that of the new file, which cannot be selected.
    fn write_line(&mut self, one: &ColouredLine<'_>, is_twin: bool) -> fmt::Result {
        let (line, number) = (&one.line, self.lines);
        let (tag, attributes) = match line.kind {
            Kind::Removed => ("del", ""),
            Kind::Added => ("ins", ""),
            Kind::Hunk => ("span", " class=\"hunk\""),
            Kind::Header => ("span", " hidden"),
            Kind::Text | Kind::Context => ("span", ""),
        };
        match is_twin {
            true => self.html.push_str("<span inert"),
            false => write!(self.html, "<{tag} id=\"L{number}\"{attributes}")?,
        }
        if !line.text.is_ascii() {
            self.html.push_str(" dir=\"auto\"");
        }
        for (side, number) in ["o", "n"].into_iter().zip(line.numbers) {
            if let Some(number) = number {
                write!(self.html, " data-{side}={number}")?;
            }
        }
        self.html.push('>');
        self.write_content(one)?;
        self.html
            .push_str(if line.has_line_feed { "\n" } else { "" });
        write!(self.html, "</{tag}>")
    }

    fn write_content(&mut self, one: &ColouredLine<'_>) -> fmt::Result {
        if !one.line.is_code() {
            return write_text(one.line.text, &mut self.html);
        }
        let (code, mut at) = (one.line.code(), 0);
        let mut part = |end: usize, before: &str| {
            self.html.push_str(before);
            let written =
                write_highlighted(&code[at..end], one.start + at, one.spans, &mut self.html);
            at = end;
            written
        };
        let mut before = &one.line.text[..one.line.text.len() - code.len()];
        for mark in &one.marks {
            part(mark.start, before)?;
            part(mark.end, "<b>")?;
            before = "</b>";
        }
        part(code.len(), before)
    }
}

/// Returns the kind for which lines in a row are written together: removed and added lines are one.
fn group_of(one: &ColouredLine<'_>) -> Kind {
    match one.line.kind {
        Kind::Added => Kind::Removed,
        kind => kind,
    }
}
