//! Creates a paste: it chooses an unused id and a token for the owner, and stores the paste.

use crate::paste::{
    Access, Draft, PasteId, ReadsLeft, Revision, SealedMessage, StoredPaste, Timestamp, Token,
};
use crate::store::{Saver, StoreError};

use super::{AppError, UseCases};

/// Maximum number of ids that are tried for one paste. With 10^7 stored pastes, only one random id in 10^12 is in use.
const TRIES: usize = 4;

/// The number of random bytes in an id.
const ID_BYTES: usize = 8;
/// The number of random bytes in a revision.
const REVISION_BYTES: usize = 8;
/// The number of random bytes in a token.
const TOKEN_BYTES: usize = 16;
const RANDOM_BYTES: usize = ID_BYTES + REVISION_BYTES + TOKEN_BYTES;

/// A new paste, with the token that only its owner receives.
#[derive(Debug)]
pub struct Created {
    /// The slug, or else the id as text.
    pub id: String,
    /// The owner's token.
    pub token: Token,
    /// The paste as it was stored.
    pub paste: StoredPaste,
}

impl UseCases {
    /// Stores the draft under its slug, or else under a new id, and under a new token. A sealed message that says so
    /// burns. The size of the paste counts towards the share of the saver's client, and its owner may list it.
    ///
    /// # Errors
    /// Returns an [`AppError`] if the paste cannot be created.
    pub fn create(
        &self,
        now: Timestamp,
        saver: Saver,
        draft: Draft,
        access: Access,
    ) -> impl Future<Output = Result<Created, AppError>> {
        self.create_from(now, saver, draft, access, random_bytes)
    }

    /// Does the same as [`Self::create`], with random bytes from `random`. It calls `random` once for each id.
    async fn create_from(
        &self,
        now: Timestamp,
        mut saver: Saver,
        mut draft: Draft,
        mut access: Access,
        mut random: impl FnMut() -> Result<[u8; RANDOM_BYTES], AppError>,
    ) -> Result<Created, AppError> {
        self.refuse_blocked(draft.content.bytes()).await?;
        if access == Access::Open
            && SealedMessage::of(draft.content.bytes()).is_some_and(|it| it.burns)
        {
            access = Access::Burn(ReadsLeft::ONE);
        }
        let (id, revision, token) = split(random()?);
        saver.slug = draft.slug.take();
        let (mut id, mut text) = match &saver.slug {
            Some(slug) => (slug.id(&self.ids), slug.as_str().to_owned()),
            None => self.unlike_option(id, &mut random)?,
        };
        let bytes = draft.content.bytes().len();
        let paste = StoredPaste::new(draft, access, revision, now, token.hash());
        for _ in 0..TRIES {
            let inserted = self.store.insert(now, saver.clone(), id, paste.clone());
            match inserted.await {
                Ok(()) => {
                    self.totals.count_saved(true, bytes);
                    return Ok(Created {
                        id: text,
                        token,
                        paste,
                    });
                }
                Err(StoreError::IdTaken) if saver.slug.is_some() => {
                    return Err(AppError::SlugTaken);
                }
                Err(StoreError::IdTaken) => {
                    (id, text) = self.unlike_option(split(random()?).0, &mut random)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        tracing::error!(tries = TRIES, "no free id was found");
        Err(StoreError::IdTaken.into())
    }

    /// Returns this id with its text, or another one if the text starts with `-`. Programs take such a text for an
    /// option.
    fn unlike_option(
        &self,
        mut id: PasteId,
        random: &mut impl FnMut() -> Result<[u8; RANDOM_BYTES], AppError>,
    ) -> Result<(PasteId, String), AppError> {
        loop {
            let text = self.ids.encode(id);
            if !text.starts_with('-') {
                return Ok((id, text));
            }
            (id, ..) = split(random()?);
        }
    }
}

/// Splits random bytes into an id, a revision and a token.
fn split(random: [u8; RANDOM_BYTES]) -> (PasteId, Revision, Token) {
    let [a, b, c, d, e, f, g, h, rest @ ..] = random;
    let id = PasteId::from_random([a, b, c, d, e, f, g, h]);
    let [a, b, c, d, e, f, g, h, token @ ..] = rest;
    let revision = Revision::from_random([a, b, c, d, e, f, g, h]);
    (id, revision, Token::from_random(token))
}

/// Returns random bytes from the operating system.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], AppError> {
    let mut bytes = [0; N];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) => {
            tracing::error!(%error, "the operating system returned no random bytes");
            Err(AppError::NoRandomBytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::fairness::ClientKey;
    use crate::paste::{Content, Encryption, Expiry, ExpiryPolicy, IdCodec, PasteLimits};
    use crate::store::Store;
    use crate::store::memory::Budget;

    fn app() -> UseCases {
        let budget = Budget::new(Budget::LEAST);
        let store = Store::in_memory(budget, Box::new(|_| ()), Timestamp::default).unwrap();
        let limits = PasteLimits {
            max_paste_size: 1,
            expiry_policy: ExpiryPolicy::new(Expiry::Never, Expiry::Never),
            encryption: Encryption::Off,
        };
        UseCases::new(Arc::new(store), IdCodec::new("key"), limits)
    }

    fn create(app: &UseCases, ids: &[u8]) -> Result<Created, AppError> {
        let saver = ClientKey {
            network: 0,
            client: 0,
        };
        let draft = Draft {
            content: Content::new(b"x", 1).unwrap(),
            title: None,
            language: None,
            expiry: Expiry::Never,
            slug: None,
        };
        let mut ids = ids.iter();
        let random = || Ok([*ids.next().expect("no more ids are tried"); RANDOM_BYTES]);
        let creating = app.create_from(
            Timestamp::default(),
            saver.into(),
            draft,
            Access::Open,
            random,
        );
        // The memory tier never waits.
        match pin!(creating).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(created) => created,
            Poll::Pending => panic!("the store waits"),
        }
    }

    #[test]
    fn a_used_id_is_replaced_a_few_times_and_then_the_save_is_rejected() {
        let app = app();
        let id = |byte: u8| app.ids.encode(PasteId::from_random([byte; ID_BYTES]));
        assert_eq!(create(&app, &[1]).unwrap().id, id(1));
        assert_eq!(create(&app, &[1, 1, 1, 2]).unwrap().id, id(2));
        let error = create(&app, &[1, 2, 1, 2, 3]).unwrap_err();
        assert_eq!(error, StoreError::IdTaken.into());
        assert_eq!(app.store.occupancy().pastes, 2);
    }

    #[test]
    fn no_id_starts_with_a_dash_which_programs_take_for_an_option() {
        let app = app();
        let text = |byte: u8| app.ids.encode(PasteId::from_random([byte; ID_BYTES]));
        let dashed = (0..=u8::MAX).find(|byte| text(*byte).starts_with('-'));
        let dashed = dashed.expect("one in 64 ids");
        let other = dashed.wrapping_add(1);
        assert_eq!(create(&app, &[dashed, other]).unwrap().id, text(other));
    }
}
