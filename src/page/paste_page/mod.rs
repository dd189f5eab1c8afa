//! The page that shows a paste.
//!
//! Invariants: a title is in a `<bdi>`, so that its writing direction does not affect the text around it. Its unsafe
//! characters are shown in a visible form. A text always has a copy button, which says so if it did not copy the exact
//! text. The page of an open paste for a reader without its token depends on nothing but the paste, the form and the
//! paste's URL: it has no count and no relative time. A script makes the times local and relative. A document, a table
//! or JSON has its source on the page if its link does not show it again.
//! Cost: a page takes 3 µs, and a copy of the fragment.

mod image;
mod language_page;

use std::borrow::Cow;

use askama::Template;

pub(crate) use self::language_page::LanguagePage;
use crate::date::Utc;
use crate::page::name::{file_name, instead_of_name};
use crate::page::paste_facts::PasteHead;
use crate::page::site::Site;
use crate::page::{
    Asset, DATA_STYLE, DOCUMENT_STYLE, LOG_STYLE, PATCH_STYLE, TERMINAL_STYLE, humanize, template,
};
use crate::paste::{Encoding, Image, LineRange, Paste};
use crate::render::{Body, Rendered, View, highlight_lines, is_plain, visible, without_bom};

/// The place of a link to lines that the page does not show. No text of a user can contain this tag.
const REST: &str = "<span id=\"rest\">";

/// A paste and its state for one reader at the time of the request.
#[derive(Clone, Copy)]
pub struct PastePage<'a> {
    /// The server.
    pub site: &'a Site,
    /// The address, and what the reader may do. For a reader with the token, the page shows the count of views, and
    /// does not ask for the token.
    pub head: PasteHead<'a>,
    /// The paste.
    pub paste: &'a Paste,
    /// The rendered paste. A reader may ask for another language than the paste's own.
    pub rendered: &'a Rendered,
    /// The availability of the paste by its link from now on.
    pub availability: Availability,
    /// How many lines were added and removed, if its owner has just changed the paste.
    pub changed: Option<(usize, usize)>,
    /// The id of the paste, if the page shows one of its files. Then the id of the head has the file, too.
    pub file_of: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "paste.html", config = "src/page/askama.toml")]
struct PasteTemplate<'a> {
    site: &'a Site,
    head: PasteHead<'a>,
    page: &'a PastePage<'a>,
    /// The title, or the name of an open paste.
    name: Option<Cow<'a, str>>,
    /// Whether the document shows its name itself.
    is_heading: bool,
    /// The lines of a text, or the dimensions of an image.
    extent: Option<String>,
    expires_at: Option<Utc>,
    /// Whether the link shows the paste again, as text.
    is_open_text: bool,
    /// Whether it also can be edited, which makes it UTF-8.
    is_open_utf_8: bool,
    /// Whether the page contains the text character by character, in a listing or as a source.
    can_copy: bool,
    /// The text of a document, a table or JSON whose link does not show it again. It can be copied only from this page.
    source: Option<Cow<'a, str>>,
    /// The file name under which a script saves the text or image, if the link does not show it again.
    download: Option<String>,
    /// The URL of an image that the page shows.
    image: Option<String>,
    note: Option<&'a str>,
}

impl PasteTemplate<'_> {
    /// Returns the name, or what the page says in its place.
    fn heading(&self) -> &str {
        let instead = instead_of_name(self.page.paste.access(), false);
        self.name.as_deref().unwrap_or(instead)
    }

    /// Returns whether what the page shows is wider than a text.
    fn is_wide(&self) -> bool {
        match &self.page.rendered.fragment.body {
            Body::Document(document) => document.contents.is_some(),
            Body::Table(_) | Body::Log(_) | Body::Patch(_) => true,
            _ => false,
        }
    }

    /// Returns whether more can be done than the buttons of the head do.
    fn has_menu(&self) -> bool {
        let page = self.page;
        let is_whole = page.file_of.is_none();
        !page.availability.is_gone() && (is_whole || !page.rendered.fragment.body.is_data())
    }

    /// Returns the paths of the first two of several files that are texts, which are compared.
    fn compared(&self) -> Option<[&str; 2]> {
        let Body::Files(files) = &self.page.rendered.fragment.body else {
            return None;
        };
        let texts = files.iter().filter(|file| {
            let fragment = file.fragment.as_ref();
            fragment.is_some_and(|it| !it.body.is_data())
        });
        let mut paths = texts.map(|it| &*it.path);
        Some([paths.next()?, paths.next()?])
    }

    /// Returns the style sheets of what the page shows, each once.
    fn styles(&self) -> Vec<&'static Asset> {
        let mut styles: Vec<&Asset> = Vec::new();
        let mut add = |body: &Body| {
            let known = |style: &&Asset| styles.iter().any(|it| it.name == style.name);
            let style = style_of(body).filter(|style| !known(style));
            styles.extend(style);
        };
        match &self.page.rendered.fragment.body {
            Body::Files(files) => {
                let fragments = files.iter().filter_map(|file| file.fragment.as_ref());
                fragments.for_each(|fragment| add(&fragment.body));
            }
            body => add(body),
        }
        styles
    }
}

impl PastePage<'_> {
    /// Returns whether the reader may edit the files of this archive.
    fn edits_files(&self) -> bool {
        let archive = self.paste.archive().and_then(Result::ok);
        self.head.may_delete && archive.is_some_and(|it| it.is_ours(self.paste.bytes()))
    }

    /// Returns whether the page shows the whole content. A text may also be shown in part if its link shows it again.
    pub(crate) fn is_sufficient(&self) -> bool {
        match self.rendered.fragment.body {
            Body::Image(image) => self.reason_to_hide(image).is_none(),
            // Its files have links.
            Body::Files(_) => self.availability.is_open(),
            _ if self.availability.is_unlimited() => true,
            // The charset of another text is a guess.
            _ => self.paste.encoding() == Encoding::Utf8 && self.rendered.fragment.can_copy,
        }
    }
}

/// The availability of a shown paste by its link from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// The link shows the same page again.
    Open,
    /// The link does not show the content again, because the paste was revealed for this page only.
    Restricted {
        /// The number of reads that are left. `None` means that reads are not limited: the paste is protected by a
        /// password.
        reads_left: Option<u8>,
    },
}

impl Availability {
    /// Returns whether the link will show the content again.
    fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Returns whether the link asks for a password.
    fn is_locked(self) -> bool {
        let reads_left = None;
        self == Self::Restricted { reads_left }
    }

    /// Returns whether this was the last allowed read, so that the paste is deleted.
    fn is_gone(self) -> bool {
        let reads_left = Some(0);
        self == Self::Restricted { reads_left }
    }

    /// Returns whether the number of reads is not limited, so that none was used up for this page.
    fn is_unlimited(self) -> bool {
        self.is_open() || self.is_locked()
    }

    /// Returns a sentence that says how often the paste can be read again. Returns `None` if its reads are not limited.
    pub(super) fn note(self) -> Option<String> {
        let Self::Restricted {
            reads_left: Some(left),
        } = self
        else {
            return None;
        };
        Some(match left {
            0 => {
                "This was the last view. The paste is deleted: save what you need before you leave this page."
                    .to_owned()
            }
            left => format!("This paste has {}.", humanize::views_left(left)),
        })
    }
}

/// Marks these lines on the page of a text. If the page does not show the first of them, it links to them at this path.
pub(crate) fn mark_lines(html: &str, lines: LineRange, raw: &str) -> String {
    let marked = highlight_lines(html, lines);
    if marked.len() > html.len() {
        return marked;
    }
    let plural = if lines.first() == lines.last() {
        ""
    } else {
        "s"
    };
    let link = format!("<a href=\"{raw}?lines={lines}\" autofocus>Open line{plural} {lines}</a>.");
    html.replacen(REST, &format!("{REST}{link}"), 1)
}

/// Narrows a log to the events of this level or a worse one, on a page that offers levels. Any other page stays.
pub(crate) fn narrow(html: &str, level: &str) -> String {
    // No text of a user can contain these, because its quotation marks are escaped.
    let (log, all) = ("<pre class=\"listing log", "?\" aria-current=\"true\">all<");
    let Some((head, rest)) = html.split_once(all) else {
        return html.to_owned();
    };
    let chip = format!("?level={level}\"");
    [head, rest]
        .join("?\">all<")
        .replacen(log, &format!("{log} {level}"), 1)
        .replacen(&chip, &format!("{chip} aria-current=\"true\""), 1)
}

/// Returns the page as HTML.
pub fn paste(page: &PastePage<'_>) -> String {
    let (paste, fragment) = (page.paste, &page.rendered.fragment);
    let is_open = page.availability.is_open();
    let title = paste.title().map(|title| visible(title.as_str()));
    let name = page.rendered.name.as_ref();
    let is_heading =
        name.is_some_and(|name| name.is_heading) && matches!(fragment.body, Body::Document(_));
    let name = title.or(name.map(|name| Cow::Borrowed(&*name.text)));
    let expires = paste.deadline().timestamp();
    let is_text = !matches!(fragment.body, Body::Files(_));
    let text = paste
        .text()
        .filter(|_| is_text)
        .map(without_bom)
        .or(page.rendered.decoded.as_deref());
    let unlinked = text.filter(|_| !is_open);
    let source = unlinked.filter(|_| !fragment.body.has_lines());
    // A browser turns the line ends of a page into line feeds.
    let keeps_ends = text.is_none_or(|text| !text.contains('\r'));
    let has_bom = paste
        .text()
        .is_some_and(|text| text.starts_with('\u{feff}'));
    let can_copy = keeps_ends && !has_bom && (fragment.can_copy || source.is_some_and(is_plain));
    let image = match fragment.body {
        Body::Image(image) => Some(image),
        _ => None,
    };
    let is_saved_here = !is_open && (image.is_some() || unlinked.is_some() && can_copy);
    let reason = image.and_then(|image| page.reason_to_hide(image));
    let template = PasteTemplate {
        site: page.site,
        head: page.head,
        page,
        can_copy,
        source: source.map(visible),
        download: is_saved_here.then(|| file_name(paste, page.head.id)),
        image: image.and_then(|image| page.source_of(image)),
        note: reason.or(fragment.note.as_deref()),
        name,
        is_heading,
        extent: match (image, &fragment.body) {
            (Some(image), _) => Some(dimensions(image)),
            (None, Body::Files(files)) => Some(humanize::count(files.len(), "file")),
            (None, _) => fragment.lines.map(|lines| humanize::count(lines, "line")),
        },
        expires_at: expires.map(|at| Utc::from_epoch_millis(at.as_millis())),
        is_open_text: is_open && page.file_of.is_none() && !fragment.body.is_data(),
        is_open_utf_8: is_open
            && page.file_of.is_none()
            && is_text
            && paste.encoding() == Encoding::Utf8,
    };
    template::write(&template, page.rendered.size())
}

/// Returns the style sheet that this needs in addition to that of every page.
fn style_of(body: &Body) -> Option<&'static Asset> {
    match body {
        Body::Document(_) => Some(&DOCUMENT_STYLE),
        Body::Patch(_) => Some(&PATCH_STYLE),
        Body::Table(_) | Body::Json(_) | Body::Records(_) => Some(&DATA_STYLE),
        Body::Terminal(_) => Some(&TERMINAL_STYLE),
        Body::Log(_) => Some(&LOG_STYLE),
        Body::Listing(_) | Body::Hex(_) | Body::Plain(_) | Body::Image(_) | Body::Files(_) => None,
    }
}

/// Returns the dimensions of an image in words, such as `1,280 × 800 pixels`.
fn dimensions(image: Image) -> String {
    let [width, height] = [image.width, image.height].map(humanize::number);
    format!("{width} × {height} pixels")
}

/// Returns the CSS class that reserves enough width for the line numbers of this many lines.
pub(super) fn width_class(lines: usize) -> &'static str {
    match lines {
        0..10 => "w1",
        10..100 => "w2",
        100..1000 => "w3",
        1000..10_000 => "w4",
        10_000..100_000 => "w5",
        _ => "w7",
    }
}

#[cfg(test)]
mod tests;
