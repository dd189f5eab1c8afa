//! The page of a paste that was encrypted in a browser. A script fetches the message and decrypts it, with the key that
//! is in the fragment of the page's address. So is the page of an answer, and of its question before.
//!
//! Invariants: the server does not know the key, title or language. Opening the page of a paste that burns does not use
//! up a view; the button that does is only there with a script, and with a whole key in the address.

use askama::Template;

use crate::page::name::instead_of_name;
use crate::page::paste_facts::{PasteHead, PasteTimes};
use crate::page::protected_page::views;
use crate::page::site::Site;
use crate::page::{Availability, humanize};
use crate::paste::Access;
use crate::render::visible;

/// The facts about the paste.
#[derive(Clone, Copy, Template)]
#[template(path = "sealed.html", config = "src/page/askama.toml")]
pub(crate) struct SealedPage<'a> {
    pub(crate) site: &'a Site,
    pub(crate) head: PasteHead<'a>,
    /// The question, if the paste is one or the answer to one.
    pub(crate) question: Option<&'a str>,
    pub(crate) asks: bool,
    /// The paste's access: open, or burning.
    pub(crate) access: Access,
    /// The bytes of the message.
    pub(crate) size: usize,
    pub(crate) times: PasteTimes,
    /// The number of views, which the owner sees.
    pub(crate) views: u32,
}

impl SealedPage<'_> {
    fn heading(&self) -> &'static str {
        match self.question {
            Some(_) if self.asks => "A question",
            Some(_) => "An answer",
            None => instead_of_name(self.access, true),
        }
    }

    /// Returns how to read the message: the method and the path.
    fn source(&self) -> (&'static str, String) {
        let path = [&*self.site.base_path, "/", self.head.id].concat();
        match self.access {
            Access::Burn(_) => ("POST", path),
            // This page was already counted as a view.
            Access::Open | Access::Link | Access::Locked(_) => (
                "GET",
                format!("{}/raw/{}?embedded", self.site.base_path, self.head.id),
            ),
        }
    }

    /// Returns the link in the form that programs read, without the key.
    fn client_link(&self) -> String {
        let (server, id) = self.head.url.rsplit_once('/').unwrap_or_default();
        format!("{server}/?{id}#KEY")
    }

    /// Returns the sentence before the paste is decrypted.
    fn before(&self) -> String {
        match self.access {
            Access::Burn(left) => views(left),
            Access::Open | Access::Link | Access::Locked(_) => "Decrypting…".to_owned(),
        }
    }

    /// Returns the sentence above the decrypted paste. It is empty if the link shows the paste again.
    fn after(&self) -> String {
        let availability = match self.access {
            Access::Burn(left) => Availability::Restricted {
                reads_left: Some(left.get() - 1),
            },
            Access::Open | Access::Link | Access::Locked(_) => Availability::Open,
        };
        availability.note().unwrap_or_default()
    }
}
