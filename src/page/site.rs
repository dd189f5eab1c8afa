//! What every page tells about the server: its name, the operator's links, and the path before every link.

/// The server as its pages show it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Site {
    /// The name in the header and in titles.
    pub name: String,
    /// The path before every link: empty, or such as `/paste`.
    pub base_path: String,
    /// The operator's links at the foot of every page: their texts and URLs.
    pub links: Vec<(String, String)>,
    /// The operator's address for reports, as a URI.
    pub contact: Option<String>,
    /// Whether a restart loses all pastes.
    pub forgets: bool,
}

impl Site {
    /// The version at the foot of every page.
    pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
}

/// A server for pages that are constants.
#[cfg(test)]
pub(crate) static NAMELESS: Site = Site {
    name: String::new(),
    base_path: String::new(),
    links: Vec::new(),
    contact: None,
    forgets: true,
};

/// A server below this path.
#[cfg(test)]
pub(crate) fn site(base_path: &str) -> &'static Site {
    Box::leak(Box::new(Site {
        name: "tidebin".to_owned(),
        base_path: base_path.to_owned(),
        links: Vec::new(),
        contact: None,
        forgets: true,
    }))
}
