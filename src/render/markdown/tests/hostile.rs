//! Tests with hostile texts. Their markup must be shown as text, or the text must be refused as a document.

use super::*;

/// Renders a text and checks the document. Returns an error if the text exceeds a limit.
fn outcome(text: &str) -> Result<Parsed, OutOfTime> {
    let document = markdown(text, None, TimeBudget::until(&|| false))?;
    assert!(document.html.len() <= text.len() * (MAX_GROWTH + 1) + 2 * SPARE_OUTPUT);
    check_contents(&document);
    Ok(parsed(&document.html))
}

#[test]
fn no_link_runs_a_script() {
    for address in [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "javascript&colon;alert(1)",
        "javascript&#58;alert(1)",
        "javascript&#x3A;alert(1)",
        "&#106;avascript:alert(1)",
        "java&Tab;script:alert(1)",
        "java&NewLine;script:alert(1)",
        "&#1;javascript:alert(1)",
        "\u{1}javascript:alert(1)",
        "\u{feff}javascript:alert(1)",
        "javascript\\:alert(1)",
        "%6aavascript:alert(1)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "DATA:text/html,x",
        "vbscript:msgbox(1)",
        "file:///etc/passwd",
        "blob:x",
        "//evil.example",
        "/\\evil.example",
        "?delete=1",
    ] {
        for text in [
            format!("[a]({address})"),
            format!("[a](<{address}>)"),
            format!("[a][b]\n\n[b]: {address}"),
            format!("[a][b]\n\n[b]: <{address}>"),
            format!("![a]({address})"),
            format!("<{address}>"),
            format!("[![a]({address})]({address})"),
        ] {
            let document = outcome(&text).expect("a short text");
            assert_eq!(document.links(), [""; 0], "{text}");
        }
    }
}

#[test]
fn markup_stays_text_wherever_it_stands() {
    const MARKUP: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'onload=x";
    for text in [
        MARKUP.to_owned(),
        format!("# {MARKUP}"),
        format!("> {MARKUP}"),
        format!("- {MARKUP}"),
        format!("`{MARKUP}`"),
        format!("```{MARKUP}\n{MARKUP}\n```"),
        format!("~~~html\n{MARKUP}\n~~~"),
        format!("    {MARKUP}"),
        format!("|{MARKUP}|\n|-|\n|{MARKUP}|"),
        format!("[{MARKUP}](https://a.example/{MARKUP})"),
        format!("[a](https://a.example \"{}\")", MARKUP.replace('"', "\\\"")),
        format!("![{MARKUP}](https://a.example/<{MARKUP}>)"),
        format!("a[^{MARKUP}]\n\n[^{MARKUP}]: {MARKUP}"),
        format!("${MARKUP}$ $${MARKUP}$$"),
        format!("$\\operatorname{{{MARKUP}}}$ $\\mathop{{{MARKUP}}}$ $\\left{MARKUP}\\right>$"),
        format!("---\n{MARKUP}\n---"),
        format!("https://a.example/{MARKUP}"),
        format!("<https://a.example/{MARKUP}>"),
        format!("<div>\n{MARKUP}\n</div></div></section></main>"),
        format!("<!-- --><!-- {MARKUP}"),
        format!("- [x] {MARKUP}"),
        format!("> [!NOTE]\n> {MARKUP}"),
        format!("<details>\n<summary>{MARKUP}</summary>\n{MARKUP}\n\n{MARKUP}\n\n</details>"),
        format!("<kbd>{MARKUP}</kbd> <sub {MARKUP}></sub> <br {MARKUP}>"),
    ] {
        outcome(&text).expect("a short text");
    }
    let document = outcome(MARKUP).expect("a short text");
    assert_eq!(document.text.trim(), MARKUP);
}

#[test]
fn no_heading_has_an_id_of_a_footnote_a_line_or_the_page() {
    let document = outcome("# L1\n# n-1\n# copy\n\na[^1]\n\n[^1]: b").expect("a short text");
    assert_eq!(
        document.links(),
        ["#h-l1", "#h-n-1", "#h-copy", "#n-1", "#r-1"]
    );
}

#[test]
fn a_text_beyond_a_limit_is_not_a_document() {
    let wide = format!("{}\n{}\n", "a|".repeat(1000), "-|".repeat(1000));
    let narrow = format!("{}\n{}\n", "a|".repeat(90), "-|".repeat(90));
    let deep_list = |depth: usize| -> String {
        (0..depth)
            .map(|level| format!("{}- a\n", "  ".repeat(level)))
            .collect()
    };
    for text in [
        wide,
        // The parser adds the missing cells of each short row.
        narrow + &"a\n".repeat(10_000),
        "> ".repeat(10_000),
        deep_list(200),
        "*a **b ".repeat(3000) + &"c** c*".repeat(3000),
        "x".repeat(MAX_BYTES + 1),
    ] {
        assert_eq!(outcome(&text).err(), Some(OutOfTime), "{}", &text[..20]);
    }
    assert!(outcome(&deep_list(20)).is_ok());
}

/// Constructs that are hostile when they are repeated.
const PIECES: &[&str] = &[
    "[",
    "]",
    "![",
    "[a](",
    "[a][",
    "*a_",
    "_a ",
    "**",
    "~~a",
    "`",
    "$",
    "$$",
    "$a$ ",
    "$a$",
    "$a",
    "a$",
    "${",
    "$}",
    "[$](a)",
    "> ",
    "1. ",
    "- ",
    "#",
    "# a\n",
    "<",
    "<a ",
    "<!--",
    "<?",
    "<![CDATA[",
    "&",
    "&#",
    "|",
    "|-",
    "a|b\n-|-\n",
    "\\",
    "\0",
    "\u{202e}",
    "\r",
    "\t",
    "https://",
    "https://a.b/)",
    "://",
    "a@b.c ",
    "a@b.",
    "a@",
    "www.",
    "éwww._",
    "(www.a_",
    "www.a ",
    "www._",
    "*www.a_b",
    "https://a_*",
    "https://a/` ",
    "|https://a_",
    "https://a;&b;",
    "[^1]",
    "[a]: b\n",
    "\n",
    "- [x] ",
    "```\n",
    "~~~a\n\n",
    "$\\frac{a}{b}$ ",
    "$\\bar_a$ ",
    "$\\nosuch$ ",
    "***a***",
    "[a](b \"",
    "<https://a.b> ",
    "![a](https://b.c) ",
    "> [!NOTE]\n\n",
    "<kbd>",
    "</kbd>",
    "<br>",
    "<details>\n",
    "<details>\n\n",
    "<details><summary>",
    "<details>\n\n</details>\n\n",
    "</details>\n",
    "- <details>\n",
    "<div>\n",
    "<p>",
    "<h1>\n\n",
    "<a href=#a>",
    "<b a=\"",
    "<img src=https://a.b>",
    "<img alt=\"",
    "<p align=center>\n\n",
    "<p><b>\n",
    "> <details>\n",
];

/// Returns texts of a few kilobytes that each repeat one construct.
pub(super) fn bombs() -> Vec<String> {
    let definitions: String = (0..100)
        .map(|n| format!("[^{n}]: [^{}]\n", n + 1))
        .collect();
    let mut bombs: Vec<String> = PIECES
        .iter()
        .map(|piece| piece.repeat(4 * 1024 / piece.len()))
        .collect();
    bombs.extend([
        ")".repeat(2000) + "https://a.b/" + &")".repeat(2000),
        "[a](".repeat(500) + &")".repeat(2000),
        "[".repeat(2000) + &"]".repeat(2000),
        "<kbd>".repeat(400) + &"</kbd>".repeat(400),
        "<kbd>".repeat(400) + &"</sub>".repeat(400),
        "<details>\n\n".repeat(200) + &"</details>\n\n".repeat(200),
        "<details><summary>".repeat(120) + &"</summary></details>".repeat(120),
        format!(
            "[a]: https://b.example/{}\n\n{}",
            "c".repeat(2000),
            "[a] ".repeat(500)
        ),
        format!("a[^1] {}\n\n[^1]: b", "[^1]".repeat(1000)),
        format!("[^0]\n\n{definitions}"),
        "`".repeat(100)
            .chars()
            .enumerate()
            .map(|(n, tick)| tick.to_string().repeat(n) + " ")
            .collect(),
        format!("${}x{}$", "\\frac{".repeat(120), "}{y}".repeat(100)),
        format!("${}$", "\\sqrt".repeat(400)),
        format!("${}$", "x^".repeat(2000)),
        format!("${}$", "{".repeat(2000)),
        format!("$\\hspace{{99999em}}\\rule{{{}}}$", "9".repeat(3000)),
    ]);
    bombs
}

#[test]
fn four_kilobytes_of_anything_become_a_document_or_none() {
    for bomb in bombs() {
        if let Ok(document) = outcome(&bomb) {
            assert!(document.text.len() <= bomb.len() * 4 + 1024);
        }
    }
}

#[test]
fn rendering_a_document_ends_when_the_time_budget_is_used_up() {
    let asked = std::cell::Cell::new(0);
    let is_out_of_time = || {
        asked.set(asked.get() + 1);
        asked.get() > 10
    };
    let text = "a *b*\n\n".repeat(10_000);
    assert_eq!(
        markdown(&text, None, TimeBudget::until(&is_out_of_time)).err(),
        Some(OutOfTime)
    );
    assert_eq!(asked.get(), 11);
}
