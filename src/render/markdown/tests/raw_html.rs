//! Tests of raw HTML: the elements that people use are written, and all else is text.

use super::*;

#[test]
fn elements_that_people_use_are_written_without_their_attributes() {
    for (text, expected) in [
        (
            "Press <kbd class=\"b\">Ctrl</KBD>, H<sub>2</sub>O<br/>x<sup>*2*</sup>",
            "<p dir=\"auto\">Press <kbd>Ctrl</kbd>, H<sub>2</sub>O<br>x<sup><em>2</em></sup></p>",
        ),
        (
            "<div align=\"center\" onclick=\"a()\">\n\n*a*\n\n</div>\n\nb",
            "<div class=\"center\"><p dir=\"auto\"><em>a</em></p></div><p dir=\"auto\">b</p>",
        ),
        (
            "<details open>\n<summary>a &amp; <b>b</b></summary>\n\n- c\n\n</details>",
            "<details open>\n<summary>a &#38; <strong>b</strong></summary><ul dir=\"auto\"><li>c</li></ul></details>",
        ),
        (
            "<h1 align=center>a <img src=\"https://a.example/b.png\" alt=\"b\"></h1>",
            "<h2 id=\"h-a\" dir=\"auto\" class=\"center\">a <a class=\"image\" href=\"https://a.example/b.png\" \
             rel=\"nofollow noopener noreferrer\">b</a>\
             <a class=\"anchor\" tabindex=\"-1\" aria-hidden=\"true\" href=\"#h-a\"></a></h2>",
        ),
        (
            "<a href=\"#c\"><picture><source srcset=\"a.png\"><img alt=\"d\" src=\"a.png\"></picture></a>",
            "<p dir=\"auto\"><a href=\"#h-c\"><span class=\"image\">d</span></a></p>",
        ),
        (
            "a <!-- b --> c\n\n<!-- d\n\ne -->",
            "<p dir=\"auto\">a  c</p>",
        ),
    ] {
        becomes(text, expected);
    }
}

#[test]
fn an_element_ends_at_the_latest_with_the_one_around_it() {
    for (text, expected) in [
        (
            "*<kbd>a*</kbd>",
            "<p dir=\"auto\"><em><kbd>a</kbd></em><span class=\"html\">&#60;/kbd&#62;</span></p>",
        ),
        (
            "<kbd><sub>a</kbd></sub>",
            "<p dir=\"auto\"><kbd><sub>a</sub></kbd><span class=\"html\">&#60;/sub&#62;</span></p>",
        ),
        (
            "- <div>\n\n  a\n- b",
            "<ul dir=\"auto\"><li><div><p dir=\"auto\">a</p></div></li><li><p dir=\"auto\">b</p></li></ul>",
        ),
        (
            "<details>\n\n> </details>\n\na",
            "<details><blockquote dir=\"auto\"><span class=\"html\">&#60;/details&#62;</span></blockquote><p dir=\"auto\">a</p></details>",
        ),
        ("<p>a\n<p>b", "<div>a\n</div><div>b</div>"),
    ] {
        becomes(text, expected);
    }
}

#[test]
fn all_other_raw_html_is_text() {
    for text in [
        "Vec<String> and <T>",
        "a <details><summary>b</summary></details>",
        "<table>\n<tr><td>a</td></tr>\n</table>",
        "a\n\n</main>\n</div></section>",
        "<summary>a</summary>",
        "<script>\nalert(1)\n</script>",
        "<style>a{}</style> <iframe src=\"https://a.example\"></iframe>",
        "<pre>\n<details></details>\n</pre>",
        "a</b>",
        "</p>\n\n</br>",
        "<b title='>",
    ] {
        let shown = parsed(&html(text)).text;
        let words = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(words(&shown), words(text));
    }
}

#[test]
fn raw_html_beyond_its_limits_is_text() {
    let deep = html(&"<b>".repeat(60));
    assert_eq!(
        (
            deep.matches("<strong>").count(),
            deep.matches("&#60;b&#62;").count()
        ),
        (49, 11)
    );
    let long = html(&"<b>a</b> ".repeat(10_000));
    assert_eq!(long.matches("<strong>").count(), 64 * 1024 / 7);
}

#[test]
fn a_tag_ends_where_the_library_ends_it_and_no_text_becomes_an_attribute() {
    for (text, shown) in [
        (
            "<p>before <b x='\"'>this stays \"> after",
            "before this stays \"> after",
        ),
        (
            "<p><a x='\"'>hidden href=\"https://a.example/\" \">link</a>",
            "hidden href=\"https://a.example/\" \">link",
        ),
        ("<p>1 <<b>2</b>", "1 <2"),
        ("<b>bold <b-x>y</b-x> bold</b>", "bold <b-x>y</b-x> bold"),
    ] {
        let html = html(text);
        assert_eq!(parsed(&html).text.trim(), shown);
    }
    assert!(html("<details align=\"center\" open>\n\nx\n\n</details>").contains("<details open>"));
    // Reading the names of a long tag would take the library long.
    let long = format!("x <b {}>y</b>", "a ".repeat(600));
    assert!(!html(&long).contains("<strong>"));
}
