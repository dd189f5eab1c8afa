//! Sealing and unlocking, which take a core and seven MiB for a while: aside, no more at once than there are cores.
//!
//! The memory is kept for the next, as often as there are cores: what comes and goes would stay with the allocator once
//! for every thread that it was ever used on.
//!
//! What it must not know: what is sealed.
//! Invariants: a guess is charged before it is looked at, and given back if it was right; whoever has no turn within
//! half a second is told to come again, and nothing is charged or kept.
//! Why the permits of renders: both are work of a core for one client, shared out as fairly.

use std::fmt;
use std::sync::Arc;

use actix_web::web;
use parking_lot::Mutex;

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::random::random;
use crate::http::transfer::resource_wait::RenderPermit;
use crate::http::transfer::response_body::ResponseReservation;
use crate::overload::Priority;
use crate::paste::{self, Content, DecryptError, KeyMemory, NoMemory, Password, Title};

/// What keys were derived in, to be used again.
#[derive(Debug, Default)]
pub(crate) struct KeyMemories(Mutex<Vec<KeyMemory>>);

impl KeyMemories {
    /// Lends memory to this work; whoever has a turn to work does so, which bounds how much there ever is.
    fn lend<T>(
        &self,
        _turn: &RenderPermit,
        work: impl FnOnce(&mut KeyMemory) -> T,
    ) -> Result<T, NoMemory> {
        let kept = self.0.lock().pop();
        let mut memory = match kept {
            Some(memory) => memory,
            None => KeyMemory::new()?,
        };
        let done = work(&mut memory);
        self.0.lock().push(memory);
        Ok(done)
    }
}

/// What was sealed, and the turn that it was unlocked in.
pub(crate) struct Unlocked {
    pub(crate) content: Content,
    pub(crate) title: Option<Title>,
    pub(crate) permit: RenderPermit,
}

/// Content and title under a password.
pub(crate) async fn seal(
    context: &RequestContext<'_>,
    password: Password,
    title: Option<Title>,
    content: Content,
) -> Result<Content, ApiError> {
    let random = random()?;
    let bytes = Arc::clone(content.bytes());
    let reserved = ResponseReservation::new(context, Priority::Render, bytes.len()).await?;
    let permit = reserved.acquire_render().await?;
    let memories = Arc::clone(&context.service.key_memories);
    let sealed = run_blocking(move || {
        memories.lend(&permit, |memory| {
            paste::seal(&password, random, title.as_ref(), &bytes, memory)
                .map(|sealed| Content::sealed(&sealed))
        })
    });
    match sealed.await? {
        Ok(Ok(sealed)) => Ok(sealed),
        Ok(Err(error)) => Err(failed(error)),
        Err(error) => Err(failed(error)),
    }
}

/// What is sealed, if this is its password.
pub(crate) async fn unlock(
    context: &RequestContext<'_>,
    permit: RenderPermit,
    password: Password,
    sealed: Arc<[u8]>,
) -> Result<Unlocked, ApiError> {
    let charge_password_attempt = context.charge_password_attempt()?;
    let memories = Arc::clone(&context.service.key_memories);
    let opened = run_blocking(move || {
        let opened = memories.lend(&permit, |memory| {
            paste::open(&password, &sealed, memory).map(|opened| {
                let content = Content::new(opened.content(), usize::MAX);
                (content, opened.title().cloned())
            })
        });
        (opened, permit)
    });
    let (opened, permit) = opened.await?;
    match opened {
        Ok(Ok((content, title))) => {
            context.refund_password_attempt(charge_password_attempt);
            Ok(Unlocked {
                content: content.map_err(failed)?,
                title,
                permit,
            })
        }
        Ok(Err(DecryptError::Wrong)) => Err(ApiError::WrongPassword),
        Ok(Err(DecryptError::NoKey)) => Err(failed(DecryptError::NoKey)),
        Err(error) => Err(failed(error)),
    }
}

/// The cause for the log; for the client it is as if there were too much to do.
fn failed(error: impl fmt::Debug) -> ApiError {
    tracing::error!(?error, "no key could be derived for a locked paste");
    ApiError::Overloaded
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    web::block(work).await.map_err(|error| {
        tracing::error!(%error, "a password could not be worked on");
        ApiError::Overloaded
    })
}
