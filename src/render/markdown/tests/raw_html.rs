//! Tests of raw HTML: a few elements are written, and all else is text.

use super::*;

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
