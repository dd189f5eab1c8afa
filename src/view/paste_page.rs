//! The page that shows a paste.
//!
//! What it must not know: who asks, and what the time is: age and remaining time come in.
//! Invariants: a title stands alone for the writing direction (`<bdi>`), with its odd characters shown; the button that
//! copies exists only where the text on the page is the text of the paste.
//! What a page is coded to is the page, for each reader at each moment.
//! Cost: 3 µs and a copy of what was rendered, or of what was coded.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use askama::Template;

use super::coded_page::{CodedPage, Format};
use super::date::Utc;
use super::listing::width_class;
use super::marks::Marked;
use super::rendered::{Body, Rendered};
use super::shape::View;
use super::{escape, odd, words};
use crate::paste::{LineRange, Paste};

/// A paste and what is true of it at this moment.
#[derive(Clone, Copy)]
pub struct PastePage<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its absolute address.
    pub url: &'a str,
    /// The paste.
    pub paste: &'a Paste,
    /// How it is shown; a reader may ask for another language than the saver.
    pub rendered: &'a Rendered,
    /// How long ago it was saved.
    pub age: Duration,
    /// How soon it goes out; none if it does not.
    pub expires_in: Option<Duration>,
    /// When it goes out, in milliseconds since 1970.
    pub expires_at: Option<u64>,
    /// The lines to mark.
    pub marked: Option<LineRange>,
    /// Whether the reader has its token already, so that no token needs asking for.
    pub may_delete: bool,
}

/// Whoever has an id has the paste, so neither reaches a log.
impl fmt::Debug for PastePage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PastePage(secret)")
    }
}

#[derive(Template)]
#[template(path = "paste.html", config = "src/view/askama.toml")]
struct PasteTemplate<'a> {
    page: &'a PastePage<'a>,
    title: Cow<'a, str>,
    card_title: Cow<'a, str>,
    size: String,
    lines: Option<String>,
    changing: &'a Changing,
    width_class: &'static str,
    out_of_sight: Option<LineRange>,
}

impl PasteTemplate<'_> {
    fn marked<'a>(&self, listing: &'a str) -> Marked<'a> {
        Marked {
            listing,
            lines: self.page.marked,
        }
    }
}

/// What is not the same for every reader at every moment, as HTML.
struct Changing {
    url: String,
    facts: String,
}

/// Where it stands on a page. No other text has this character: it is odd.
const HOLE: &str = "\0";

#[derive(Template)]
#[template(path = "facts.html", config = "src/view/askama.toml")]
struct FactsTemplate {
    saved: String,
    goes_out: Option<String>,
    goes_out_at: Option<Utc>,
    reads: String,
}

impl Changing {
    fn of(page: &PastePage<'_>) -> Self {
        let mut url = String::with_capacity(page.url.len());
        escape::write_text(page.url, &mut url).expect("a string takes everything");
        let facts = FactsTemplate {
            saved: words::ago(page.age),
            goes_out: page.expires_in.map(words::span),
            goes_out_at: page.expires_at.map(Utc::from_epoch_millis),
            reads: words::reads(page.paste.reads()),
        };
        Self {
            url,
            facts: super::write(&facts, 0),
        }
    }

    fn holes() -> Self {
        Self {
            url: HOLE.to_owned(),
            facts: HOLE.to_owned(),
        }
    }

    /// In the order of the page.
    fn in_order(&self) -> [&str; 3] {
        [&self.url, &self.facts, &self.url]
    }
}

/// The page as HTML.
#[must_use]
pub fn paste(page: &PastePage<'_>) -> String {
    write(page, &Changing::of(page))
}

/// The page as HTML in this format, if it is one that many see: what does not change of it is coded once, and kept with
/// what was rendered.
#[must_use]
pub fn coded_paste(page: &PastePage<'_>, format: Format) -> Option<Vec<u8>> {
    if page.may_delete || page.marked.is_some() {
        return None;
    }
    let changing = Changing::of(page);
    let changing = changing.in_order();
    let coded = page.rendered.coded(format, || {
        let html = write(page, &Changing::holes());
        let parts: Vec<&str> = html.split(HOLE).collect();
        let is_whole = parts.len() == changing.len() + 1;
        is_whole.then(|| CodedPage::new(format, &parts).ok())?
    })?;
    Some(coded.with(&changing))
}

fn write(page: &PastePage<'_>, changing: &Changing) -> String {
    let rendered = page.rendered;
    let title = page.paste.title().map(|title| odd::shown(title.as_str()));
    let template = PasteTemplate {
        page,
        card_title: title.clone().unwrap_or(Cow::Borrowed("A paste")),
        title: title.unwrap_or(Cow::Borrowed(page.id)),
        size: words::size(page.paste.bytes().len()),
        lines: rendered.lines.map(|lines| words::counted(lines, "line")),
        changing,
        width_class: width_class(rendered.lines.unwrap_or(0)),
        out_of_sight: page.marked.filter(|lines| rendered.is_out_of_sight(*lines)),
    };
    super::write(&template, rendered.size())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::super::allowance::Allowance;
    use super::super::shape::Shape;
    use super::*;
    use crate::paste::{Content, Draft, Kept, Language, Lifetime, Moment, Title, TokenHash};

    fn saved(content: &[u8], title: &str) -> Paste {
        let draft = Draft {
            content: Content::new(content, usize::MAX).expect("not empty"),
            title: Title::new(title),
            language: Language::PLAIN,
            lifetime: Lifetime::Never,
        };
        Paste::new(draft, Moment::default(), TokenHash::of(""))
    }

    fn rendered(paste: &Paste) -> Rendered {
        let language = Language::named("rust").expect("a language");
        Rendered::new(
            paste,
            Shape::new(language, false),
            Allowance::until(&|| false),
        )
    }

    fn page<'a>(paste: &'a Paste, rendered: &'a Rendered) -> PastePage<'a> {
        PastePage {
            id: "0123456789AB",
            url: "https://bin.example/0123456789AB",
            paste,
            rendered,
            age: Duration::from_secs(180),
            expires_in: Some(Duration::from_secs(604_620)),
            expires_at: Some(951_782_400_000),
            marked: None,
            may_delete: false,
        }
    }

    fn html(content: &[u8], title: &str) -> String {
        let saved = saved(content, title);
        paste(&page(&saved, &rendered(&saved)))
    }

    #[test]
    fn a_page_tells_what_a_paste_is_and_when_it_goes_out() {
        let mut kept = Kept::from(saved(&[b'a'; 1434], "a title"));
        kept.count_read();
        let kept = kept.read();
        let html = paste(&page(&kept, &rendered(&kept)));
        for part in [
            "<h1 class=\"title\"><bdi>a title</bdi></h1>",
            "<title>a title · tidebin</title>",
            "<span>Rust</span>",
            "<span>1.4 KiB</span>",
            "<span>1 line</span>",
            "<span>saved 3 minutes ago</span>",
            "<span>goes out in 7 days</span>",
            "<time datetime=\"2000-02-29T00:00:00Z\">(2000-02-29 00:00:00 UTC)</time>",
            "<span>read once</span>",
            "value=\"https://bin.example/0123456789AB\"",
            "href=\"/raw/0123456789AB\"",
            "href=\"/dl/0123456789AB\"",
            "<meta name=\"robots\" content=\"noindex, nofollow\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn what_has_no_title_is_called_by_its_id_and_what_has_no_end_says_so() {
        let kept = saved(b"a", "");
        let html = paste(&PastePage {
            expires_in: None,
            expires_at: None,
            ..page(&kept, &rendered(&kept))
        });
        assert!(html.contains("<bdi>0123456789AB</bdi>"));
        assert!(html.contains("<span>does not go out</span>"));
        assert!(!html.contains("<time"));
    }

    #[test]
    fn only_who_has_no_token_yet_is_asked_for_it() {
        let kept = saved(b"a", "");
        let without = paste(&page(&kept, &rendered(&kept)));
        let with = paste(&PastePage {
            may_delete: true,
            ..page(&kept, &rendered(&kept))
        });
        assert!(without.contains("Delete…") && without.contains("name=\"token\""));
        assert!(!with.contains("Delete…") && !with.contains("name=\"token\""));
        for html in [with, without] {
            assert!(html.contains("<form method=\"post\" action=\"/0123456789AB\">"));
            assert!(html.contains("<input type=\"hidden\" name=\"delete\" value=\"1\">"));
        }
    }

    #[test]
    fn an_override_of_direction_in_a_title_is_shown_and_does_nothing() {
        let html = html(b"a", "invoice\u{202e}fdp.exe");
        // On the page, in its title and on its card.
        assert_eq!(html.matches("invoice[U+202E]fdp.exe").count(), 3);
        assert!(!html.contains('\u{202e}'));
    }

    #[test]
    fn a_card_tells_other_sites_the_title_and_the_first_words() {
        let html = html(b"<script>\n\"b\"", "\"><b>");
        for (name, content) in [
            ("og:url", "https://bin.example/0123456789AB"),
            ("og:title", "&#34;&#62;&#60;b&#62;"),
            ("og:description", "&#60;script&#62; &#34;b&#34;"),
        ] {
            let tag = format!("<meta property=\"{name}\" content=\"{content}\">");
            assert!(html.contains(&tag), "{tag} in {html}");
        }
    }

    #[test]
    fn the_listing_is_markup_and_its_text_is_not() {
        let html = html(b"<b>\n\"c\"", "");
        assert!(html.contains(
            "<code><span id=\"L1\"><a href=\"#L1\" tabindex=\"-1\" aria-hidden=\"true\"></a>&#60;b&#62;\n</span>\
             <span id=\"L2\"><a href=\"#L2\" tabindex=\"-1\" aria-hidden=\"true\"></a><span class=\"s\">&#34;c&#34;</span></span></code>"
        ));
    }

    #[test]
    fn what_is_not_text_is_shown_in_hex_and_cannot_be_copied() {
        let html = html(b"\xff<b>", "");
        assert!(html.contains("<span>Binary data</span>") && !html.contains("Rust"));
        assert!(html.contains("This is not text: 4 bytes of binary data."));
        assert!(html.contains("ff 3c 62 3e") && html.contains("|.&#60;b&#62;|"));
        assert!(!html.contains("id=\"copy\"") && !html.contains("line</span>"));
    }

    #[test]
    fn what_is_not_shown_whole_says_so_with_a_link_to_all_of_it() {
        let long = html(&b"\n".repeat(20_001), "");
        assert!(
            long.contains(
                "Only the first 20,000 of 20,001 lines are shown here. The <a href=\"/raw/"
            )
        );
        assert!(!long.contains("id=\"copy\""));
        assert!(html(b"a", "").contains("id=\"copy\""));
    }

    fn decoded(format: Format, coded: &[u8]) -> String {
        let mut html = String::new();
        let read = match format {
            Format::Brotli => brotli::Decompressor::new(coded, 4096).read_to_string(&mut html),
            Format::Gzip => flate2::read::GzDecoder::new(coded).read_to_string(&mut html),
        };
        read.expect("well coded");
        html
    }

    #[test]
    fn what_one_reader_alone_sees_is_not_coded_for_all() {
        let kept = saved(b"a\nb", "");
        let rendered = rendered(&kept);
        let page = page(&kept, &rendered);
        let owned = PastePage {
            may_delete: true,
            ..page
        };
        let marked = PastePage {
            marked: "1-2".parse().ok(),
            ..page
        };
        for page in [owned, marked] {
            assert!(coded_paste(&page, Format::Brotli).is_none());
        }
        assert_eq!(rendered.charge(), rendered.size());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_coded_page_is_the_page_for_each_reader_at_each_moment(
            text in "([a-z(){};\0\u{202e}]{0,30}\n){1,40}",
            title in "\\PC{0,20}",
            readers in prop::collection::vec(
                ("https?://[a-z.&<>'\"]{1,40}", 0..u64::MAX, prop::option::of(0..u64::MAX)), 1..4
            ),
        ) {
            let mut kept = saved(text.as_bytes(), &title);
            let rendered = rendered(&kept);
            for (url, age, expires) in &readers {
                kept.count_read();
                let page = PastePage {
                    url,
                    age: Duration::from_millis(*age),
                    expires_in: expires.map(Duration::from_millis),
                    expires_at: *expires,
                    ..page(&kept, &rendered)
                };
                for format in [Format::Brotli, Format::Gzip] {
                    let coded = coded_paste(&page, format).expect("the same for many");
                    prop_assert_eq!(decoded(format, &coded), paste(&page));
                }
            }
        }
    }

    #[test]
    fn a_page_rarely_outgrows_the_room_reserved_for_it() {
        let code = "fn main() { println!(\"{}\", 1 < 2); }\n".repeat(1000);
        let kept = saved(code.as_bytes(), "");
        let rendered = rendered(&kept);
        let html = paste(&page(&kept, &rendered));
        assert!(
            html.len() <= 6 * 1024 + rendered.size(),
            "{} bytes",
            html.len()
        );
    }
}
