//! Tests of properties that every document has.

use proptest::prelude::*;

use super::plain_text::plain_text;
use super::*;

/// Generates pieces of Markdown in any order.
fn markdown_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z é\u{202e}\u{fffe}\0<>&\"'\\\\]{1,4}",
        r"(\n|\n\n|  \n|    |\t|> |- |1\. |# |## |---\n|\*|\*\*|_|~~|`|```\n|```rust\n|```math\n)",
        r"(!?\[|\]|\]\(|\]\(https://a\.b\)|\)|\[\^1\]|\n\[\^1\]: |\n\[a\]: |\[x\] |\|a\||\n\|-\||\[!NOTE\]\n)",
        r"(https://a\.b|javascript:|mailto:a@b\.c|<https://a\.b>|&colon;|&lt;|#a|//a)",
        r"(\$|\$\$|\$x\$|\$\$x\$\$|\\frac\{|\\operatorname\{|\\text\{|\}|\^|\\left<|\\begin\{matrix\})",
        r"!?\[a\]\((javascript|JavaScript&colon;|data|vbscript|file|https|mailto)(:|://)a(#b)?\)",
        r"(<script>|</script>|<table>|<T a=x>|</mi>|<style x=|</section>|</main>)",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Generates dollars and URLs among constructs that the parser reads before them or instead of them. The text has no
/// backslash.
fn dollars_and_urls() -> impl Strategy<Value = String> {
    prop_oneof![
        r"(\$|\$|\$\$|\$[a-z0-9]\$)",
        r"(\{|\}|`|``|\*|_|~|\[|\]|\]\(#a\)|<https://a\.b/|>|https://a\.b/_|www\.a\.b/\*)",
        "(<a b=\"|\">| |\n|\n\n|[a-z0-9]|    |\\|a\\|\n\\|-\\|\n\\||\n```\n)",
    ]
}

/// Returns whether a text may have a tag that documents use, which is not among its words.
fn may_have_known_tag(text: &str) -> bool {
    const KNOWN: &str = "a b i p br em h1 h2 h3 h4 h5 h6 del div img kbd sub sup code font span center source strong \
        details picture summary";
    text.match_indices('<').any(|(at, _)| {
        let tag = &text[at + 1..];
        let tag = tag.strip_prefix('/').unwrap_or(tag);
        let end = tag.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, rest) = tag.split_at(end.unwrap_or(tag.len()));
        KNOWN.split(' ').any(|known| known == name) && rest.contains('>')
    })
}

fn foreground(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

proptest! {
    #[test]
    fn a_document_has_allowed_markup_and_the_words_of_its_text(text in markdown_like()) {
        prop_assume!(!may_have_known_tag(&text));
        prop_assert_eq!(foreground(&parsed(&html(&text)).text), foreground(&plain_text(&text)));
    }

    #[test]
    fn whatever_tags_a_document_has_it_closes_what_it_opens(
        pieces in prop::collection::vec(
            "(</?(details|summary|kbd|sub|p|div|h1|a|b|i|picture|code)>|<details open>|<br>|<hr>|<kbd a=\"b\">|<a href=\"#a\">|<h2 align=center>|<img alt=a src=https://a\\.b>|<p align=\"|<!--|-->|!\\[a|\\]\\(https://a\\.b\\)|[a-c]| |\n|\n\n|\\*|- |> |# |\\|a\\|\n\\|-\\|\n)",
            1..40
        )
    ) {
        let text = pieces.concat();
        let letters = |text: &str| text.chars().filter(|c| !"<>\n -|*#![]()☐".contains(*c)).count();
        prop_assert!(letters(&parsed(&html(&text)).text) <= letters(&text) + 5 * text.matches('[').count());
    }

    #[test]
    fn no_backslash_is_shown_that_the_text_does_not_have(
        pieces in prop::collection::vec(dollars_and_urls(), 1..30)
    ) {
        let text = pieces.concat();
        prop_assert!(!parsed(&html(&text)).text.contains('\\'));
    }
}
