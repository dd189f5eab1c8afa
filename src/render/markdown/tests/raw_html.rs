//! Tests of raw HTML: a few elements are written, and all else is text.

use super::*;

#[test]
fn a_few_elements_of_raw_html_are_elements() {
    for (text, expected) in [
        (
            "Press <kbd>Ctrl</kbd>+<KBD>C</KBD>: H<sub>2</sub>O, x<sup>*2*</sup><br/>y",
            "<p>Press <kbd>Ctrl</kbd>+<kbd>C</kbd>: H<sub>2</sub>O, x<sup><em>2</em></sup><br>y</p>",
        ),
        (
            "<details>\n<summary>a <kbd>b</kbd> <i></summary>\n\n- *c*\n\n</details>\n\nd",
            "<details><summary>a <kbd>b</kbd> &#60;i&#62;</summary><ul><li><em>c</em></li></ul></details><p>d</p>",
        ),
        (
            "<details open><summary>a</summary>b *c*</details>",
            "<details open><summary>a</summary><p>b *c*</p></details>",
        ),
        (
            "- <details>\n\n  <details>\n  a\n\n  </details>\n  </details>\n- b",
            "<ul><li><details><details><p>a\n</p></details></details></li><li><p>b</p></li></ul>",
        ),
        (
            "<br>\n\n# a<br>b",
            "<br><h2 id=\"h-a-b\">a<br>b<a class=\"anchor\" tabindex=\"-1\" \
            aria-hidden=\"true\" href=\"#h-a-b\"></a></h2>",
        ),
        (
            "| a |\n|-|\n| b<br>c |",
            "<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>\
            <thead><tr><th>a</th></tr></thead><tbody><tr><td>b<br>c</td></tr></tbody></table></div>",
        ),
        (
            "<details>\n\nسلام",
            "<p class=\"html\">&#60;details&#62;\n</p><p dir=\"auto\">سلام</p>",
        ),
        (
            "<details>\n\nسلام\n\n</details>",
            "<details><p dir=\"auto\">سلام</p></details>",
        ),
    ] {
        becomes(text, expected);
    }
}

#[test]
fn tags_without_a_partner_are_text() {
    for text in [
        "a <kbd>b",
        "a </kbd>b",
        "a <kbd class=\"b\">c</kbd>",
        "<kbd>a\n\nb</kbd>",
        "*<kbd>a*</kbd>",
        "a <details><summary>b</summary></details>",
        "<details>\n\n# a",
        "a\n\n</details>\n</div></section></main>",
        "<details>\n\n- a\n  </details>",
        "> <details>\n\n</details>",
        "<summary>a</summary>",
        "<details onclick=\"a()\">\n\nb\n\n</details>",
        "<!-- <details> -->\n\n</details>",
        "<pre>\n<details></details>\n</pre>",
    ] {
        let html = html(text);
        for name in ["kbd", "details", "summary"] {
            assert!(!html.contains(&format!("<{name}")), "{html}");
            assert!(!html.contains(&format!("</{name}")), "{html}");
        }
    }
    // Of two pairs that cross each other, one is text.
    becomes(
        "<kbd><sub>a</kbd></sub>",
        "<p><kbd><span class=\"html\">&#60;sub&#62;</span>a</kbd><span class=\"html\">&#60;/sub&#62;</span></p>",
    );
}
