//! Writes a parsed patch as HTML.

use std::fmt::{self, Write};

use super::emphasis::differing;
use super::file::File;
use super::hunk::Kind;
use super::parser::{Line, Section, Sections};
use crate::render::escape::write_text;
use crate::render::humanize;
use crate::render::time_budget::{OutOfTime, TimeBudget};
use crate::render::unsafe_char::without_cr;

/// Returns the HTML of all sections.
///
/// # Errors
/// If the budget is used up.
pub(super) fn html(parsed: &Sections<'_>, budget: &TimeBudget<'_>) -> Result<String, OutOfTime> {
    const TAGS_PER_LINE: usize = 112;
    let text: usize = parsed.lines.iter().map(|line| line.text.len()).sum();
    let lines = parsed.lines.len() * TAGS_PER_LINE;
    let mut html = String::with_capacity(text + text / 8 + lines + 512 * parsed.files);
    write_summary(parsed, &mut html).expect("a string takes everything");
    for section in &parsed.sections {
        budget.check()?;
        write_section(section, &parsed.lines, &mut html).expect("a string takes everything");
    }
    Ok(html)
}

/// Writes how many files change, unless it is one, whose counts say all.
fn write_summary(parsed: &Sections<'_>, out: &mut String) -> fmt::Result {
    let files = parsed
        .sections
        .iter()
        .filter_map(|section| section.file.as_ref());
    let counts = files.map(|file| (file.added, file.removed));
    let (added, removed) = counts.fold((0, 0), |sum, file| (sum.0 + file.0, sum.1 + file.1));
    if parsed.files > 1 {
        write!(
            out,
            "<p class=\"counts\">{} ",
            humanize::count(parsed.files, "file")
        )?;
        write_counts(added, removed, out)?;
        out.push_str("</p>\n");
    }
    Ok(())
}

fn write_counts(added: usize, removed: usize, out: &mut String) -> fmt::Result {
    if added + removed == 0 {
        return Ok(());
    }
    let [added, removed] = [added, removed].map(humanize::number);
    write!(out, "<ins>+{added}</ins> <del>−{removed}</del>")
}

fn write_section(section: &Section<'_>, lines: &[Line<'_>], out: &mut String) -> fmt::Result {
    if let Some(file) = &section.file {
        write_file(file, out)?;
    }
    let these = &lines[section.lines.clone()];
    // Blank lines between two files would be an empty box. They stay part of what is copied.
    let is_blank = section.file.is_none() && these.iter().all(|line| line.text.trim().is_empty());
    out.push_str(if is_blank {
        "<pre class=\"listing\" hidden><code>"
    } else {
        "<pre class=\"listing\"><code>"
    });
    write_lines(section.lines.start, these, out)?;
    out.push_str("</code></pre>\n");
    if section.file.is_some() {
        out.push_str("</details>\n");
    }
    Ok(())
}

/// Writes the start of a file, which names it.
fn write_file(file: &File<'_>, out: &mut String) -> fmt::Result {
    out.push_str("<details open><summary>");
    let (old, new) = file.names();
    if let Some(old) = old {
        out.push_str("<bdi>");
        write_text(old, out)?;
        out.push_str("</bdi> → ");
    }
    out.push_str("<bdi>");
    write_text(new, out)?;
    out.push_str("</bdi> ");
    let facts = [file.change.word(), file.is_binary.then_some("binary")];
    for fact in facts.into_iter().flatten() {
        write!(out, "<small>{fact}</small> ")?;
    }
    if let (Some(old), Some(new)) = (file.old_mode, file.new_mode) {
        out.push_str("<small>mode ");
        write_text(old, out)?;
        out.push_str(" → ");
        write_text(new, out)?;
        out.push_str("</small> ");
    }
    write_counts(file.added, file.removed, out)?;
    out.push_str("</summary>\n");
    Ok(())
}

/// Writes the lines from the one with index `first` on.
fn write_lines(first: usize, lines: &[Line<'_>], out: &mut String) -> fmt::Result {
    let mut number = first + 1;
    for group in lines.chunk_by(|one, other| one.kind.is_change() && other.kind.is_change()) {
        let is_removed = |line: &Line<'_>| matches!(line.kind, Kind::Removed(_));
        let removed = group.iter().filter(|line| is_removed(line)).count();
        let is_pair = group[0].kind.is_change() && (1..group.len()).contains(&removed);
        // The lines of two blocks of equal length are versions of each other.
        let is_even =
            is_pair && 2 * removed == group.len() && group[..removed].iter().all(is_removed);
        if is_pair {
            out.push_str("<span class=\"pair\">");
        }
        for (at, line) in group.iter().enumerate() {
            let other = is_even.then(|| group[(at + removed) % group.len()]);
            write_line(number, *line, other, out)?;
            number += 1;
        }
        if is_pair {
            out.push_str("</span>");
        }
    }
    Ok(())
}

/// Writes a line. `other` is its other version, if it is known.
fn write_line(
    number: usize,
    line: Line<'_>,
    other: Option<Line<'_>>,
    out: &mut String,
) -> fmt::Result {
    let (tag, class) = match line.kind {
        Kind::Removed(_) => ("del", ""),
        Kind::Added(_) => ("ins", ""),
        Kind::Hunk => ("span", " class=\"hunk\""),
        Kind::Header => ("span", " class=\"c\""),
        Kind::Text | Kind::Context { .. } => ("span", ""),
    };
    let direction = if line.text.is_ascii() {
        ""
    } else {
        " dir=\"auto\""
    };
    write!(
        out,
        "<{tag} id=\"L{number}\"{class}{direction}><a href=\"#L{number}\" tabindex=\"-1\" aria-hidden=\"true\""
    )?;
    let (old, new) = match line.kind {
        Kind::Context { old, new } => (Some(old), Some(new)),
        Kind::Removed(old) => (old, None),
        Kind::Added(new) => (None, new),
        Kind::Text | Kind::Header | Kind::Hunk => (None, None),
    };
    for (side, number) in [('o', old), ('n', new)] {
        if let Some(number) = number {
            write!(out, " data-{side}=\"{number}\"")?;
        }
    }
    out.push_str("></a>");
    let (content, line_feed) = content(line.text);
    match other.and_then(|other| differing(content, self::content(other.text).0)) {
        Some(range) => {
            write_text(&content[..range.start], out)?;
            out.push_str("<b>");
            write_text(&content[range.clone()], out)?;
            out.push_str("</b>");
            write_text(&content[range.end..], out)?;
        }
        None => write_text(content, out)?,
    }
    out.push_str(line_feed);
    write!(out, "</{tag}>")
}

/// Divides a line into its content and its line feed. The CR before the line feed belongs to neither.
fn content(line: &str) -> (&str, &str) {
    match line.strip_suffix('\n') {
        Some(line) => (without_cr(line), "\n"),
        None => (line, ""),
    }
}
