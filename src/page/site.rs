//! What every page tells about the server, and what the operator chose that pages show.

/// The server as its pages show it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Site {
    /// The name in the header and in titles.
    pub name: String,
    /// The path before every link: empty, or such as `/paste`.
    pub base_path: String,
    /// The operator's links at the foot of every page: their texts and URLs.
    pub links: Vec<(String, String)>,
    /// The operator's address for reports, as a URI. With it, readers can report pastes.
    pub contact: Option<String>,
    /// Whether a restart loses all pastes.
    pub forgets: bool,
    /// Whether images are shown, and sent as images.
    pub images: bool,
    /// How short links are answered.
    pub redirect: Redirect,
}

/// How a short link is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Redirect {
    /// With a redirect to the target.
    #[default]
    Direct,
    /// With a page that shows the target.
    Preview,
    /// New short links are rejected. The existing ones redirect.
    Off,
}

impl Site {
    /// The version at the foot of every page.
    pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Returns whether the server saves short links.
    pub(crate) fn shortens(&self) -> bool {
        self.redirect != Redirect::Off
    }
}

/// A server for pages that are constants.
#[cfg(test)]
pub(crate) static NAMELESS: Site = Site {
    name: String::new(),
    base_path: String::new(),
    links: Vec::new(),
    contact: None,
    forgets: true,
    images: false,
    redirect: Redirect::Direct,
};

/// A server below this path, which shows everything that a server can.
#[cfg(test)]
pub(crate) fn site(base_path: &str) -> &'static Site {
    Box::leak(Box::new(Site {
        name: "tidebin".to_owned(),
        base_path: base_path.to_owned(),
        contact: Some("mailto:me@bin.example".to_owned()),
        forgets: true,
        images: true,
        ..Site::default()
    }))
}

/// Limits with these lifetimes and 1 MiB.
#[cfg(test)]
pub(crate) fn limits(default: &str, longest: &str) -> crate::paste::PasteLimits {
    let expiry = |text: &str| text.parse().expect("a lifetime");
    crate::paste::PasteLimits {
        max_paste_size: 1 << 20,
        expiry_policy: crate::paste::ExpiryPolicy::new(expiry(default), expiry(longest)),
        ..Default::default()
    }
}
