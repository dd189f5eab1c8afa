//! Tests of highlighting, with every language, hostile texts and a few small texts.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::render::listing::listing;
use crate::render::tests::{LISTING, Parsed};

const FREE: TimeBudget<'static> = TimeBudget::until(&|| false);

fn language(name: &str) -> Language {
    Language::from_name(name).expect("a language")
}

fn highlighted(text: &str, language: Language) -> Vec<Span> {
    coloured(text, language).spans
}

fn coloured(text: &str, language: Language) -> Highlighting {
    Highlighter::default()
        .highlight(text, language, &FREE)
        .expect("time without end")
}

/// Returns each class with its part of the text, such as `k:fn f:main`.
fn classes(text: &str, name: &str) -> String {
    let spans = highlighted(text, language(name));
    let shown = |span: &Span| match span.highlight {
        Highlight::Syntax(class) => format!("{class}:{}", &text[span.range.clone()]),
        other => panic!("{other:?} in source code"),
    };
    spans.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// Checks that spans are ordered and not empty, do not overlap, and start and end between characters.
fn check(text: &str, spans: &[Span]) {
    let mut end = 0;
    for Span { range, .. } in spans {
        assert!(end <= range.start && range.start < range.end, "{range:?}");
        assert!(text.get(range.clone()).is_some(), "{range:?}");
        end = range.end;
    }
}

/// Highlights a text with a budget of `checks` checks. Asserts that the spans are valid or the budget is used up.
fn ends_within(checks: u32, text: &str, language: Language) {
    let left = Cell::new(checks);
    let is_out_of_time = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    };
    match Highlighter::default().highlight(text, language, &TimeBudget::until(&is_out_of_time)) {
        Ok(highlighting) => check(text, &highlighting.spans),
        Err(OutOfTime) => assert_eq!(left.get(), 0),
    }
}

/// Returns the text that a browser shows for this HTML.
fn text_of(html: &str) -> String {
    Parsed::of(html, &[LISTING]).text
}

#[test]
fn every_language_with_a_grammar_highlights_something() {
    const SAMPLE: &str = "# one\n// two\n-- three\n; four\n% five\n<b a=\"c\">d</b>\nkey = 1\nkey: \"x\"\n\
        if x then return 2\nclass A { def f() { let y = 'z' } }\n/* six */\n<!-- seven -->\n== head ==\n\
        me@host:~$ ls -l\n{{ a | b }}\n{% if c %}\n吾有一數。曰三。\n```mermaid\ngraph TD\n```\na,b,c\na\tb\tc\n";
    let colourless: Vec<&str> = Language::all()
        .filter(|language| highlighted(SAMPLE, *language).is_empty())
        .map(Language::name)
        .collect();
    assert_eq!(colourless, ["text", "ansi"]);
}

#[test]
fn small_texts_look_as_a_reader_expects() {
    for (name, text, expected) in [
        (
            "rust",
            "// hi\nfn main() { let x: u8 = 1; }",
            "c:// hi k:fn f:main k:let o:: t:u8 o:= n:1",
        ),
        (
            "python",
            "def f(a):\n    return \"x\" # c\n",
            "k:def f:f v:a k:return s:\"x\" c:# c",
        ),
        ("javascript", "const a = `x${b}y`;", "k:const o:= s:`x s:y`"),
        (
            "json",
            "{\"a\": [1, true, \"b\"]}",
            "a:\"a\" n:1 l:true s:\"b\"",
        ),
        (
            "html",
            "<p class=\"a\">x</p>",
            "g:<p a:class= s:\"a\" g:> g:</p>",
        ),
        ("html", "<style></style>", "g:<style></style>"),
        (
            "diff",
            "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
            "h:--- a h:+++ b h:@@ -1 +1 @@ m:-x p:+y",
        ),
        (
            "markdown",
            "# T\n**b** _i_ [l](http://x) `c`\n```rust\nfn f() {}\n```\n",
            "h:# T b:**b** e:_i_ u:l u:http://x s:`c` k:fn f:f",
        ),
        (
            "bash",
            "echo \"$HOME\" | grep -v x # c",
            "f:echo s:\" v:$HOME s:\" o:| f:grep l:-v c:# c",
        ),
        (
            "c",
            "#include <a.h>\nint main(void) { return 0; }",
            "k:#include s:<a.h> t:int f:main t:void k:return n:0",
        ),
        ("yaml", "a: 1\nb: \"c\"\n", "g:a n:1 g:b s:\"c\""),
        (
            "log",
            "12:00:00 ERROR a\nWARN b\nFATAL c\nINFO d\na.Exception\n\tat a.b\n",
            "c:12:00:00 m:ERROR a:WARN m:FATAL t:INFO m:a.Exception",
        ),
    ] {
        assert_eq!(classes(text, name), expected, "{name}");
    }
}

fn too_long(line: usize) -> String {
    format!("Syntax highlighting ends at line {line}: it is too long.")
}

#[test]
fn a_shift_in_a_shell_script_does_not_begin_a_text_without_end() {
    for shift in [
        "a=$((1<<4))",
        "a=$(( b << c ))",
        "a=$[1<<2]",
        "a[$((i<<1))]=2",
        "(( a <<= 1 ))",
    ] {
        let shown = classes(&format!("{shift}\nfor f in *; do\n"), "bash");
        assert!(shown.contains("k:for"), "{shift}: {shown}");
    }
    let text = classes("a=$((1+2)); cat <<END\nfor\nEND\n", "bash");
    assert!(!text.contains("k:for"), "{text}");
}

#[test]
fn highlighting_stops_at_a_line_that_is_too_long() {
    let long = "a".repeat(MAX_LINE_BYTES - 1);
    let text = |end: &str| format!("1\n/* a\n{long}{end}\n1\n");
    for (end, limit, last) in [
        (" */", Some(3), "/* a"),
        ("*", None, "1"),
        ("**", Some(3), "/* a"),
    ] {
        let text = text(end);
        let Highlighting {
            spans,
            limit: found,
        } = coloured(&text, language("rust"));
        assert_eq!(found, limit.map(too_long));
        assert_eq!(&text[spans[spans.len() - 1].range.clone()], last);
    }
}

#[test]
fn languages_with_slow_searches_have_a_lower_line_limit() {
    for (name, mark, longest) in [
        ("rust", "/", 512),
        ("bibtex", "@", 256),
        ("d", "/", 128),
        ("kdl", "`", 128),
        ("markdown", "a", 512),
        ("markdown", "`", 128),
        ("mdc", "~", 128),
    ] {
        let limit = |length| coloured(&mark.repeat(length), language(name)).limit;
        assert_eq!(limit(longest), None, "{name}");
        assert_eq!(limit(longest + 1), Some(too_long(1)), "{name}");
    }
}

#[test]
fn a_long_line_of_json_is_highlighted_too() {
    let text = format!("[{}null]", "{\"é\": \"a b\", \"c\": 1}, ".repeat(1000));
    let Highlighting { spans, limit } = coloured(&text, language("json"));
    assert_eq!(limit, None);
    check(&text, &spans);
    let is = |span: &&Span, part: &str| &text[span.range.clone()] == part;
    assert_eq!(spans.iter().filter(|span| is(span, "\"c\"")).count(), 1000);
    assert_eq!(
        spans.iter().filter(|span| is(span, "\"a b\"")).count(),
        1000
    );
}

#[test]
fn highlighting_stops_where_nesting_is_too_deep() {
    let text = "[ 1,\n".repeat(20_000);
    let Highlighting { spans, limit } = coloured(&text, language("json"));
    assert!((MAX_DEPTH / 2..2 * MAX_DEPTH).contains(&spans.len()));
    let line = spans.len() + 1;
    let note = format!("Syntax highlighting ends at line {line}: it is nested too deeply.");
    assert_eq!(limit, Some(note));
}

#[test]
fn a_too_large_text_and_one_without_a_grammar_need_no_time_budget() {
    let used_up = TimeBudget::until(&|| true);
    let text = "a\n".repeat(MAX_BYTES / 2 + 1);
    let highlighting = |name| Highlighter::default().highlight(&text, language(name), &used_up);
    let too_large = Highlighting {
        spans: Vec::new(),
        limit: Some("This text is too large for syntax highlighting.".to_owned()),
    };
    assert_eq!(highlighting("rust"), Ok(too_large));
    assert_eq!(highlighting("text"), Ok(Highlighting::default()));
}

#[test]
fn the_budget_is_checked_at_least_once_per_line_and_ends_the_work() {
    let asked = Cell::new(0);
    let after = |most: usize| {
        asked.set(0);
        let is_out_of_time = || {
            asked.set(asked.get() + 1);
            asked.get() > most
        };
        let text = "let x = 1;\n".repeat(1000);
        Highlighter::default()
            .highlight(&text, language("rust"), &TimeBudget::until(&is_out_of_time))
            .is_err()
    };
    assert!(after(500) && asked.get() == 501);
    assert!(!after(usize::MAX) && asked.get() > 1000);
}

#[test]
fn many_hostile_lines_end_with_the_budget() {
    let unterminated = format!("\"'`/* <!-- {}", "hello\n".repeat(50_000));
    let brackets = format!("{}\n", "[({".repeat(MAX_LINE_BYTES / 3)).repeat(200);
    for text in [
        unterminated,
        brackets,
        "x\n".repeat(500_000),
        "x".repeat(1 << 20),
    ] {
        for name in [
            "rust",
            "typescript",
            "bash",
            "perl",
            "markdown",
            "makefile",
            "cpp",
        ] {
            ends_within(300, &text, language(name));
        }
    }
}

proptest! {
    #[test]
    fn a_line_of_hostile_text_ends_in_any_language(
        opening in prop::sample::select(&["<", "([{", "$(${#{\"'`", "$(eval $(shell "][..]),
        which in 0..Language::all().count(),
    ) {
        let language = Language::all().nth(which).expect("one of them");
        ends_within(16, &opening.repeat(MAX_LINE_BYTES / opening.len()), language);
    }

    #[test]
    fn any_text_in_any_language_has_ordered_spans_and_keeps_its_text(
        text in "(\\PC|[\"'`<>(){}#/*$=: \t\r\n]|if |é|𝄞|/\\*|<!--|\"\"\"){0,80}",
        which in 0..Language::all().count(),
    ) {
        let language = Language::all().nth(which).expect("one of them");
        let spans = highlighted(&text, language);
        check(&text, &spans);
        let html = |spans| listing(&text, spans);
        prop_assert_eq!(text_of(&html(&spans)), text_of(&html(&[])));
    }
}
