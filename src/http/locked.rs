//! Sealing and unlocking, which take a core and seven MiB for a while: aside, no more at once than there are cores.
//!
//! What it must not know: what is sealed.
//! Invariants: a guess is charged before it is looked at, and given back if it was right; whoever has no turn within
//! half a second is told to come again, and nothing is charged or kept.
//! Why the permits of renders: both are work of a core for one client, shared out as fairly.

use std::sync::Arc;

use actix_web::web;

use super::answer::Reserved;
use super::asker::Asker;
use super::problem::Problem;
use super::waiting::Rendering;
use crate::limit::Class;
use crate::paste::{self, Content, OpenError, Password, Title};

/// What was sealed, and the turn that it was unlocked in.
pub(crate) struct Unlocked {
    pub(crate) content: Content,
    pub(crate) title: Option<Title>,
    pub(crate) turn: Rendering,
}

/// Content and title under a password.
pub(crate) async fn seal(
    asker: &Asker<'_>,
    password: Password,
    title: Option<Title>,
    content: Content,
) -> Result<Content, Problem> {
    let mut random = [0; 40];
    super::save::fill_random(&mut random)?;
    let bytes = Arc::clone(content.bytes());
    let reserved = Reserved::new(asker, Class::Render, bytes.len()).await?;
    let turn = reserved.leave().await?;
    let sealed = aside(move || {
        let _turn = turn;
        paste::seal(&password, random, title.as_ref(), &bytes)
    });
    match sealed.await? {
        Ok(sealed) => Ok(Content::sealed(&sealed)),
        Err(error) => {
            tracing::error!(?error, "a paste could not be sealed");
            Err(Problem::Overloaded)
        }
    }
}

/// What is sealed, if this is its password.
pub(crate) async fn unlock(
    asker: &Asker<'_>,
    turn: Rendering,
    password: Password,
    sealed: Arc<[u8]>,
) -> Result<Unlocked, Problem> {
    let guess = asker.guess()?;
    let opened = aside(move || {
        let opened = paste::open(&password, &sealed).map(|opened| {
            let content = Content::new(opened.content(), usize::MAX);
            (content, opened.title().cloned())
        });
        (opened, turn)
    });
    let (opened, turn) = opened.await?;
    match opened {
        Ok((Ok(content), title)) => {
            asker.guessed_right(guess);
            Ok(Unlocked {
                content,
                title,
                turn,
            })
        }
        Ok((Err(_), _)) | Err(OpenError::Wrong) => Err(Problem::WrongPassword),
        Err(OpenError::NoMemory) => {
            asker.guessed_right(guess);
            tracing::error!("there was no memory to unlock a paste in");
            Err(Problem::Overloaded)
        }
    }
}

async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    web::block(work).await.map_err(|error| {
        tracing::error!(%error, "a password could not be worked on");
        Problem::Overloaded
    })
}
