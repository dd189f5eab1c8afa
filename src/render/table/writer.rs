//! Writes records as an HTML table.

use std::fmt::{self, Write};

use super::records::Records;
use crate::render::escape::write_text;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Returns the HTML of a table.
///
/// # Errors
/// If the budget is used up.
pub(super) fn html(records: &Records, budget: &TimeBudget<'_>) -> Result<String, OutOfTime> {
    let columns = columns(records);
    let mut html = String::with_capacity(records.size_hint());
    let mut rows = records.iter();
    let header = rows.next().into_iter().flatten();
    write_header(header, &columns, &mut html).expect("a string takes everything");
    for (number, row) in (1..).zip(rows) {
        budget.check()?;
        write_row(number, row, &columns, &mut html).expect("a string takes everything");
    }
    html.push_str("</tbody></table>");
    Ok(html)
}

/// Returns for each column whether it has numbers, and no other fields below the header.
fn columns(records: &Records) -> Vec<bool> {
    // The numbers and the other fields of each column. Empty fields count as neither.
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for (at, row) in records.iter().enumerate() {
        for (column, field) in row.enumerate() {
            if column == counts.len() {
                counts.push((0, 0));
            }
            let (numbers, others) = &mut counts[column];
            if at == 0 || field.trim().is_empty() {
                continue;
            }
            match is_number(field.trim(), records.has_decimal_comma()) {
                true => *numbers += 1,
                false => *others += 1,
            }
        }
    }
    let is_numeric = |(numbers, others)| numbers > 0 && others == 0;
    counts.into_iter().map(is_numeric).collect()
}

/// Returns whether a field is a number, such as `-1.5e3`. Where commas separate no fields, `1,5` is one too.
fn is_number(field: &str, has_decimal_comma: bool) -> bool {
    let is_of_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let is_number = |field: &str| field.bytes().all(is_of_number) && field.parse::<f64>().is_ok();
    is_number(field) || has_decimal_comma && is_number(&field.replacen(',', ".", 1))
}

fn write_header<'t>(
    mut fields: impl Iterator<Item = &'t str>,
    columns: &[bool],
    out: &mut String,
) -> fmt::Result {
    out.push_str("<table><thead><tr><td></td>");
    for is_numeric in columns {
        write_cell("th", fields.next().unwrap_or_default(), *is_numeric, out)?;
    }
    out.push_str("</tr></thead>\n<tbody>");
    Ok(())
}

fn write_row<'t>(
    number: usize,
    fields: impl Iterator<Item = &'t str>,
    columns: &[bool],
    out: &mut String,
) -> fmt::Result {
    write!(out, "<tr><th>{number}</th>")?;
    let mut missing = columns.len();
    for (field, is_numeric) in fields.zip(columns) {
        write_cell("td", field, *is_numeric, out)?;
        missing -= 1;
    }
    if missing > 0 {
        write!(out, "<td colspan=\"{missing}\"></td>")?;
    }
    out.push_str("</tr>\n");
    Ok(())
}

fn write_cell(tag: &str, field: &str, is_numeric: bool, out: &mut String) -> fmt::Result {
    let class = if is_numeric { " class=\"n\"" } else { "" };
    let direction = if field.is_ascii() {
        ""
    } else {
        " dir=\"auto\""
    };
    write!(out, "<{tag}{class}{direction}>")?;
    match field.contains('\r') {
        true => write_text(&field.replace("\r\n", "\n"), out)?,
        false => write_text(field, out)?,
    }
    write!(out, "</{tag}>")
}
