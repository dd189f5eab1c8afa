//! Tests of formatted JSON: its text, its folds, hostile texts, limits.

use proptest::prelude::*;

use super::*;
use crate::render::tests::{JSON, LISTING, Parsed, listed};
use crate::render::unsafe_char::visible;

const NEVER: TimeBudget<'static> = TimeBudget::until(&|| false);

/// Formats a text, and checks that its parts are those of the text.
fn made(text: &str) -> Option<Json> {
    let json = json(text, NEVER).expect("within all limits")?;
    let shown = Parsed::of(&json.html, &[JSON]).text;
    if json.shown_lines.is_none() {
        assert_eq!(squeezed(&shown), visible(&squeezed(text)), "{text}");
    }
    Some(json)
}

fn html(text: &str) -> String {
    made(text).expect("JSON").html
}

/// Returns a text without the white space outside of its strings.
fn squeezed(text: &str) -> String {
    let (mut is_string, mut is_escaped) = (false, false);
    let is_kept = |c: &char| {
        let is_kept = is_string || !" \n\r\t".contains(*c);
        is_string ^= *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_kept
    };
    text.trim_start_matches('\u{feff}')
        .chars()
        .filter(is_kept)
        .collect()
}

#[test]
fn each_value_is_a_line_with_the_colours_of_code() {
    // A tilde stands for an escaped quote.
    let expected = "<details open><summary data-rest=\"~a~:[1,2],~b~:{~c~:null},~d~:~é~,~e~:{} } 4 members\">{</summary>\
        <div>__<span class=\"a\">~a~</span>: [<span class=\"n\">1</span>, <span class=\"n\">2</span>],</div>\
        <details open><summary data-rest=\"~c~:null } 1 member\">__<span class=\"a\">~b~</span>: {</summary>\
        <div>____<span class=\"a\">~c~</span>: <span class=\"l\">null</span></div><div>__},</div></details>\
        <div>__<span class=\"a\">~d~</span>: <bdi class=\"s\">~é~</bdi>,</div>\
        <div>__<span class=\"a\">~e~</span>: {}</div><div>}</div></details>";
    let made = html("{\"a\":[1,2],\"b\":{\"c\":null},\"d\":\"é\",\"e\":{} }");
    let indent = |by| format!("<span class=\"in\">{}</span>", " ".repeat(by));
    let expected = expected
        .replace("____", &indent(4))
        .replace("__", &indent(2));
    assert_eq!(made, expected.replace('~', "&#34;"));
}

#[test]
fn a_folded_value_shows_how_it_starts() {
    for (text, rest) in [
        ("[ {},\n\t{} ]", "{}, {} ] 2 items"),
        ("{\"a\u{202e}\": 1}", "&#34;a[U+202E]&#34;: 1 } 1 member"),
        (
            &format!("[[],{}0]", "1234567,".repeat(2000)),
            "[],1234567,1234567,1234567,1234567,1234567,1234567,1234567,1 … ] 2,002 items",
        ),
    ] {
        let part = format!("<summary data-rest=\"{rest}\">");
        assert!(html(text).contains(&part), "{part} in {text}");
    }
}

#[test]
fn numbers_escapes_order_and_duplicates_stay_as_they_are_written() {
    for text in [
        "[0.1000000000000000055511151231257827, 1e400, -0, 1E+2, 12345678901234567890123]",
        "{\"b\":1,\"a\":2,\"b\":3,\"\":4}",
        r#"["\u00e9\/\\", "\ud800", "\"]\"", "a  b"]"#,
        "\u{feff} {\"a\" : [ ] , \"b\" : { } }\r\n",
        "{\"a\":1}\n{\"a\":[{}]}\n\n[]\n7 \"x\"\ntrue",
        "42",
    ] {
        html(text);
    }
}

#[test]
fn a_text_that_is_not_valid_is_not_formatted() {
    for text in [
        "",
        " ",
        "{",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "'a'",
        "[1] // x",
        "[1}",
        "nul",
        "[\"\n\"]",
        "{}}",
        "01",
        "\"\\x\"",
    ] {
        assert!(made(text).is_none(), "{text}");
    }
}

#[test]
fn a_long_document_starts_open_and_large_or_late_values_are_folded() {
    let open = |text: &str| html(text).matches("<details open>").count();
    let folded = |text: &str| html(text).matches("<details><summary").count();
    let rows = format!("[{}{{\"a\":1}}]", "{\"a\":1},\n".repeat(999));
    // The outer array, and the rows in the first 500 lines.
    assert_eq!((open(&rows), folded(&rows)), (168, 833));
    // A value after a folded one is as near as without it, and the values in it start folded.
    let long = format!("{{\"a\":[{}[[]]],\"b\":[[]]}}", "0,".repeat(1000));
    assert_eq!((open(&long), folded(&long)), (2, 2));
}

#[test]
fn at_most_20_000_lines_are_shown_and_all_elements_are_closed() {
    let shown_lines = |text: &str| {
        let json = json(text, NEVER).expect("within all limits");
        json.expect("JSON").shown_lines
    };
    let text = |count: usize| format!("[[{}0]]", "0,".repeat(count - 1));
    assert_eq!(shown_lines(&text(19_996)), None);
    assert_eq!(shown_lines(&text(19_997)), Some(20_000));
    let containers = format!("[{}[]]", "[[]],".repeat(10_001));
    assert_eq!(made(&containers).expect("JSON").shown_lines, Some(20_000));
}

#[test]
fn at_most_100_000_values_are_shown_however_many_a_line_has() {
    let short = format!("[{}0]", "1,".repeat(29));
    let many = format!("[{}{short}]", format!("{short},").repeat(7999));
    let json = json(&many, NEVER)
        .expect("within all limits")
        .expect("JSON");
    assert_eq!(json.shown_lines, Some(3335));
    assert!(json.html.matches("class=\"n\"").count() < MAX_VALUES + 72);
}

#[test]
fn deep_nesting_and_long_texts_are_refused() {
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert!(made(&nested(100)).is_some());
    assert_eq!(json(&nested(101), NEVER).err(), Some(OutOfTime));
    assert_eq!(json(&nested(1 << 20), NEVER).err(), Some(OutOfTime));
    let long = format!("\"{}\"", "a".repeat(MAX_BYTES));
    assert_eq!(json(&long, NEVER).err(), Some(OutOfTime));
    assert!(json("[]", TimeBudget::until(&|| true)).is_err());
}

#[test]
fn formatted_json_is_at_most_as_large_as_its_module_says() {
    let deep = "{\"'\":".repeat(100) + "0" + &"}".repeat(100);
    for text in [deep, format!("[{}0]", "{\"'''\":\"é'\"},\n".repeat(1000))] {
        let length = html(&text).len();
        let lines = 2 + 3 * text.matches('{').count();
        assert!(length <= 5 * text.len() + 600 * lines, "{length}");
    }
}

/// Random JSON with random white space.
fn random_json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?",
        "\"([ a<&'é\u{202e}\u{200b}{}:,\\[\\]]|\\\\[\"\\\\/nu]){0,8}\""
            .prop_map(|text| text.replace("\\u", "\\u00fF")),
        prop::sample::select(&["true", "false", "null"][..]).prop_map(str::to_owned),
    ];
    let space = || "[ \n\r\t]{0,3}";
    scalar.prop_recursive(6, 80, 8, move |value| {
        let key = "\"([a<]|\\\\\"){0,3}\"";
        let item = (space(), value.clone(), space()).prop_map(|(a, b, c)| a + &b + &c);
        let member = (space(), key, space(), value, space())
            .prop_map(|(a, key, b, value, c)| format!("{a}{key}{b}:{value}{c}"));
        prop_oneof![
            prop::collection::vec(item, 0..8).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..8)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

proptest! {
    #[test]
    fn the_page_has_the_parts_of_any_json(values in prop::collection::vec(random_json(), 1..3)) {
        let text = values.join("\n");
        // The test is in `made`.
        prop_assert!(made(&text).is_some(), "{}", text);
    }

    #[test]
    fn a_hostile_text_is_shown_as_it_is_or_refused(text in "[{}\\[\\]:,\"\\\\ a0é\u{202e}<']{0,40}") {
        made(&text);
    }
}

/// Returns the HTML of JSON Lines, and its text without what is folded.
fn lines(text: &str) -> (String, String) {
    let html = json_lines(text, NEVER).expect("in time").expect("records");
    drop(Parsed::of(&html, &[LISTING, JSON]));
    // A line that has a fold ends with it.
    let unblocked = html.replace("</span><span class=\"block\">", "");
    let lines = unblocked.split("<span id=").skip(1);
    let unfolded = lines.map(|line| line.split("<details>").next().unwrap_or_default());
    let text = unfolded.map(|line| match line.split_once('>') {
        Some((_, line)) => Parsed::of(line.trim_end_matches("</span>"), &[LISTING]).text,
        None => String::new(),
    });
    (html.clone(), text.collect())
}

#[test]
fn a_line_of_json_is_numbered_and_as_it_is_written_with_its_value_folded_below() {
    let (html, _) = lines("{\"a\": [1, 2]}\n[]\n");
    let indent = "<span class=\"in\">  </span>";
    let expected = format!(
        "<span class=\"block\"><span id=\"L1\" data-n=1>{{<span class=\"a\">~a~</span>: [<span class=\"n\">1</span>, <span class=\"n\">2</span>]}}\n\
         <details><summary>{{</summary>\
         <div>{indent}<span class=\"a\">~a~</span>: [<span class=\"n\">1</span>, <span class=\"n\">2</span>]</div>\
         <div>}}</div></details></span><span id=\"L2\" data-n=2>[]\n</span></span>"
    );
    assert_eq!(html, expected.replace('~', "&#34;"));
}

#[test]
fn json_lines_are_the_lines_of_the_text_also_where_one_is_broken() {
    let text =
        "{\"a\":1}\r\n{\"b\":\"\u{202e}<b>\"}\n\nTraceback:\n{\"c\":\n\"text\"\n[1,{\"سلام\":2}]";
    let (html, shown) = lines(text);
    assert_eq!(shown, listed(text));
    assert_eq!(html.matches("<details><summary>").count(), 3);
    for other in [
        "{\"a\":1}",
        "1\n2\n",
        "{\n}\n",
        "{\"a\":1}\n{\n}\n",
        "",
        "{}\ntext\n",
    ] {
        assert_eq!(json_lines(other, NEVER), Ok(None), "{other:?}");
    }
}

#[test]
fn lines_for_whose_values_a_page_has_no_room_stay_without_folds_and_colours() {
    let line = format!("{{\"many\":[{}1]}}\n", "1,".repeat(60));
    let (html, shown) = lines(&line.repeat(3000));
    assert_eq!(shown.lines().count(), 3000);
    let folds = html.matches("<details><summary>").count();
    assert!((100..2000).contains(&folds), "{folds}");
    assert!(html.matches('<').count() < 2 * 5 * MAX_VALUES);
    let deep = "[".repeat(150) + &"]".repeat(150);
    let (html, _) = lines(&format!("{deep}\n{deep}\n"));
    assert!(!html.contains("<details"));
}
