//! A paste that a case saves, with values that it need not name.

use tidebin::fairness::ClientKey;
use tidebin::paste::{
    Access, Asked, Content, Draft, Expiry, Language, OwnerId, ReadsLeft, Revision, Slug,
    StoredPaste, Timestamp, Title, TokenHash,
};
use tidebin::store::Saver;

/// The client of a paste that names none.
pub const CLIENT: ClientKey = ClientKey {
    network: 1,
    client: 1,
};

/// The token of every paste.
pub const TOKEN: &str = "the token";

/// A paste to save.
#[derive(Debug, Clone)]
pub struct NewPaste {
    content: Vec<u8>,
    title: Option<Title>,
    expiry: Expiry,
    access: Access,
    saver: Saver,
}

impl NewPaste {
    /// An open paste of this text, with a title, that never expires.
    pub fn text(text: &str) -> Self {
        Self {
            content: text.into(),
            title: Title::new("a title"),
            expiry: Expiry::Never,
            access: Access::Open,
            saver: Saver {
                client: CLIENT,
                owner: None,
                slug: None,
            },
        }
    }

    /// A question, open to all.
    pub fn question(text: &str) -> Self {
        let random = Self::random(Asked::BYTES).content;
        let random = random.try_into().expect("as many bytes");
        Self {
            content: Asked::question(text, random).expect("a question"),
            ..Self::text("")
        }
    }

    /// A paste with a password, of this many bytes, which no tier tries to make smaller.
    pub fn random(size: usize) -> Self {
        let mut content = vec![0; size];
        getrandom::fill(&mut content).expect("random bytes");
        Self {
            content,
            title: None,
            access: Access::Locked(None),
            ..Self::text("")
        }
    }

    pub fn titled(self, title: Option<Title>) -> Self {
        Self { title, ..self }
    }

    pub fn lasting(self, seconds: u64) -> Self {
        let expiry = Expiry::from_seconds(seconds).expect("not zero");
        Self { expiry, ..self }
    }

    pub fn read_as(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// A paste that may be read this often.
    pub fn burning(self, reads: u8) -> Self {
        let left = ReadsLeft::new(reads).expect("a number of reads");
        self.read_as(Access::Burn(left))
    }

    pub fn by(mut self, client: ClientKey) -> Self {
        self.saver.client = client;
        self
    }

    pub fn of(mut self, owner: u8) -> Self {
        self.saver.owner = Some(owner_id(owner));
        self
    }

    pub fn at(mut self, slug: &str) -> Self {
        self.saver.slug = Some(self::slug(slug));
        self
    }

    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Returns who saves it, and the paste with this revision.
    pub fn parts(self, now: Timestamp, revision: u64) -> (Saver, StoredPaste) {
        let draft = Draft {
            content: content(&self.content),
            title: self.title,
            language: Language::from_name("rust"),
            expiry: self.expiry,
            slug: None,
        };
        let (token, revision) = (TokenHash::of(TOKEN), self::revision(revision));
        let paste = StoredPaste::new(draft, self.access, revision, now, token);
        (self.saver, paste)
    }
}

pub fn content(bytes: &[u8]) -> Content {
    Content::new(bytes, bytes.len()).expect("it is not empty")
}

pub fn owner_id(number: u8) -> OwnerId {
    OwnerId::of_secret(&number.to_string())
}

pub fn slug(text: &str) -> Slug {
    Slug::parse(text).expect("a slug")
}

pub fn revision(number: u64) -> Revision {
    Revision::from_random(number.to_be_bytes())
}
