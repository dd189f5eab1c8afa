//! Tests of tables: the cells of each row, hostile texts, limits.

use proptest::prelude::*;

use super::*;
use crate::render::tests::{Parsed, TABLE};
use crate::render::unsafe_char::visible;

const NEVER: TimeBudget<'static> = TimeBudget::until(&|| false);

fn made(text: &str, language: &str) -> Option<Table> {
    let language = Language::from_name(language).expect("a language");
    let table = table(text, language, true, NEVER).expect("within all limits")?;
    drop(Parsed::of(&table.html, &[TABLE]));
    Some(table)
}

/// Returns the text of the cells of each row, as a browser shows them, without the number of the row.
fn cells(text: &str, language: &str) -> Option<Vec<Vec<String>>> {
    let html = made(text, language)?.html;
    let shown = |cell: &str| {
        let (_, inside) = cell.split_once('>').expect("a start tag");
        Parsed::of(inside.split("</t").next().unwrap_or_default(), &[TABLE]).text
    };
    let is_field = |cell: &&str| !cell.starts_with("d colspan");
    let row = |row: &str| {
        row.split("<t")
            .skip(2)
            .filter(is_field)
            .map(shown)
            .collect()
    };
    Some(
        html.split("<tr>")
            .skip(1)
            .map(|html| row(html.split("</tr>").next().unwrap_or_default()))
            .collect(),
    )
}

fn rows(text: &str) -> Vec<Vec<String>> {
    cells(text, "csv").expect("a table")
}

#[test]
fn a_table_has_a_header_and_numbered_rows_in_which_numbers_are_marked() {
    let html = made("\u{feff}name,age\r\nAnn,3\r\nسلام,40\r\n", "csv")
        .expect("a table")
        .html;
    let expected = "<table><thead><tr><td></td><th>name</th><th class=\"n\">age</th></tr></thead>\n<tbody>\
        <tr><th>1</th><td>Ann</td><td class=\"n\">3</td></tr>\n\
        <tr><th>2</th><td dir=\"auto\">سلام</td><td class=\"n\">40</td></tr>\n</tbody></table>";
    assert_eq!(html, expected);
}

#[test]
fn quoted_fields_have_separators_line_ends_and_quotes() {
    for (text, expected) in [
        ("a,b\n\"1,2\",\"x\r\ny\"\n", ["1,2", "x\ny"]),
        ("a,b\n\"say \"\"hi\"\"\",\n", ["say \"hi\"", ""]),
        ("a;b\n\"1;2\";3,5\n", ["1;2", "3,5"]),
        ("a\tb\n1,2\t3", ["1,2", "3"]),
        ("\n\na|b\n\n<b>| x \n", ["<b>", " x "]),
        ("a,b\r1,5\" x\r", ["1", "5\" x"]),
    ] {
        assert_eq!(rows(text)[1], expected, "{text:?}");
    }
    assert_eq!(cells("a,b\tc\n", "tsv").expect("a table")[0], ["a,b", "c"]);
    let inches = "\"12\" inch\t3\n\"a\t4\nb\"\t5\n";
    let expected = [["\"12\" inch", "3"], ["\"a", "4"], ["b\"", "5"]];
    assert_eq!(cells(inches, "tsv").expect("a table"), expected);
}

#[test]
fn the_header_is_as_long_as_the_longest_row_and_shorter_ones_are_filled() {
    assert_eq!(
        rows("a\n1,2,3\n4\n"),
        [vec!["a", "", ""], vec!["1", "2", "3"], vec!["4"]]
    );
    let html = made("a\n1,2,3\n4\n", "csv").expect("a table").html;
    assert!(
        html.contains("<td class=\"n\">1</td><td class=\"n\">2</td><td class=\"n\">3</td></tr>")
    );
    assert!(html.contains("<tr><th>2</th><td class=\"n\">4</td><td colspan=\"2\"></td></tr>"));
    assert_eq!(rows("only a header"), [["only a header"]]);
    assert_eq!(rows("one\n\"\"\n2\n"), [["one"], [""], ["2"]]);
}

#[test]
fn only_columns_of_numbers_are_numeric() {
    for (text, is_numeric) in [
        ("a,b\n1,x\n-2.5e3,x\n,x\n", true),
        ("a,b\n1,x\nn/a,x\n", false),
        ("a,b\ninf,x\n", false),
        ("a,b\n,x\n", false),
        ("a,b\n\"1,5\",x\n", false),
        ("a;b\n1,5;x\n", true),
        ("a;b\n1,500,000;x\n", false),
    ] {
        let html = made(text, "csv").expect("a table").html;
        assert_eq!(html.contains("class=\"n\""), is_numeric, "{text}");
    }
}

#[test]
fn a_text_with_an_open_quote_or_without_a_record_is_no_table() {
    for text in [
        "",
        "\n\n",
        "\u{feff}",
        "\u{feff}\u{feff}",
        "a,b\n\"1,2\n3,4\n",
        "a,b\n\"",
        "a,\"b\"\"\n",
    ] {
        assert!(made(text, "csv").is_none(), "{text:?}");
    }
    // It may be closed in the part that is not shown.
    let csv = Language::from_name("csv").expect("a language");
    let cut = table("a,b\n1,2\n3,\"4", csv, false, NEVER)
        .expect("in time")
        .expect("a table");
    assert_eq!(cut.shown_rows, Some(1));
    // But probably not after so much text.
    let open = "a,b\n\"".to_owned() + &"3,4\n".repeat(20_000);
    assert!(table(&open, csv, false, NEVER).is_ok_and(|it| it.is_none()));
}

#[test]
fn a_table_shows_at_most_10_000_rows_and_200_000_cells() {
    let text = |rows: usize| "a,b\n".repeat(rows + 1);
    let csv = Language::from_name("csv").expect("a language");
    let shown = |text: &str| {
        let table = table(text, csv, true, NEVER).expect("within all limits");
        table.expect("a table").shown_rows
    };
    assert_eq!(shown(&text(10_000)), None);
    assert_eq!(shown(&text(10_001)), Some(10_000));
    let wide = (",".repeat(499) + "\n").repeat(401);
    assert_eq!(shown(&wide), Some(399));
}

#[test]
fn a_row_of_more_cells_than_a_browser_bears_is_refused() {
    let csv = Language::from_name("csv").expect("a language");
    let result = |columns: usize| table(&",".repeat(columns - 1), csv, true, NEVER);
    assert!(result(500).is_ok_and(|table| table.is_some()));
    assert_eq!(result(501).err(), Some(OutOfTime));
    assert!(table("a,b\n", csv, true, TimeBudget::until(&|| true)).is_err());
}

#[test]
fn a_table_is_at_most_as_large_as_its_module_says() {
    for row in ["é\0,\"'\"\n", "1,2,3,4\n", "'\n"] {
        let text = "a,b,c\n".to_owned() + &row.repeat(300);
        let cells: usize = rows(&text).iter().map(Vec::len).sum();
        let length = made(&text, "csv").expect("a table").html.len();
        assert!(
            length <= 5 * text.len() + 24 * cells + 64 * 301,
            "{row:?} {length}"
        );
    }
}

/// Quotes a field.
fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

proptest! {
    #[test]
    fn the_cells_are_the_fields_that_were_written(
        table in prop::collection::vec(prop::collection::vec("[a,;\"\n\t<é\u{202e} ]{0,4}", 1..5), 1..8),
        end in prop::sample::select(&["\n", "\r\n", "\r"][..])
    ) {
        let line = |fields: &Vec<String>| fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",");
        let text: String = table.iter().map(|fields| line(fields) + end).collect();
        let mut expected: Vec<Vec<String>> =
            table.iter().map(|fields| fields.iter().map(|field| visible(field).into_owned()).collect()).collect();
        let columns = expected.iter().map(Vec::len).max().unwrap_or(0);
        expected[0].resize(columns, String::new());
        // Only commas are outside of quotes.
        prop_assert_eq!(rows(&text), expected);
    }

    #[test]
    fn a_table_without_quotes_is_split_at_each_separator(text in "[a1,\n]{0,40}") {
        let lines = text.lines().filter(|line| !line.is_empty());
        let mut expected: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
        let columns = expected.iter().map(Vec::len).max().unwrap_or(0);
        if let Some(header) = expected.first_mut() {
            header.resize(columns, "");
        }
        prop_assert_eq!(cells(&text, "csv").unwrap_or_default(), expected);
    }

    #[test]
    fn a_hostile_table_has_allowed_elements_only(text in "[a\",;\t\r\n<>&'\0\u{feff}\u{202e}é|-]{0,60}") {
        made(&text, "csv");
        made(&text, "tsv");
    }
}
