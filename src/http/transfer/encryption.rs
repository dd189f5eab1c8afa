//! Encryption and decryption for one client, on a thread for blocking work.
//!
//! Deriving a key keeps a core busy for a while, as a render does. So clients take turns at both. A client that gets no
//! turn within half a second is told to try again, and nothing is charged or stored.
//! Invariants: a password attempt is charged before the password is checked, and refunded if it was right.

use std::sync::Arc;

use super::resource_wait::RenderPermit;
use super::response_body::{ResponseReservation, run_blocking};
use crate::app::random_bytes;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::ProblemType as T;
use crate::overload::Priority;
use crate::paste::{Asked, Content, NoMemory, Password, SealedMessage, Title};

/// The log line of work that did not end.
const CANNOT: &str = "could not encrypt or decrypt a paste";

/// Encrypts the content and the title with a key derived from the password. Afterwards the content cannot be
/// compared any more with those that the operator blocks, so this is done first.
pub(crate) async fn encrypt(
    context: &RequestContext<'_>,
    password: Password,
    title: Option<Title>,
    content: Content,
) -> Result<Content, ApiError> {
    context.state.app.refuse_blocked(content.bytes()).await?;
    let bytes = content.bytes();
    if SealedMessage::of(bytes).is_some() || Asked::of(bytes).is_some() {
        let sentence =
            "An encrypted paste has no second password on the server. Save it without `password`.";
        return Err(T::InvalidValue.says(sentence).into());
    }
    let random = random_bytes()?;
    let bytes = Arc::clone(content.bytes());
    let reserved = ResponseReservation::new(context, Priority::Render, bytes.len()).await?;
    let permit = reserved.acquire_key().await?;
    let keys = Arc::clone(&context.state.key_memories);
    let encrypted = run_blocking(CANNOT, move || {
        let _permit = permit;
        keys.encrypt(&password, random, title.as_ref(), &bytes)
    });
    let encrypted = encrypted.await?.map_err(failed)?;
    Ok(encrypted.with_charset_of(&content))
}

/// Decrypts the content and its title. Returns the render permit too, which is held meanwhile.
///
/// # Errors
/// [`ApiError::WrongPassword`] if this is not the password of the content.
pub(crate) async fn decrypt(
    context: &RequestContext<'_>,
    permit: RenderPermit,
    password: Password,
    encrypted: Arc<[u8]>,
) -> Result<(RenderPermit, (Content, Option<Title>)), ApiError> {
    let attempt = context.charges.charge_password_attempt()?;
    let keys = Arc::clone(&context.state.key_memories);
    let decrypted = run_blocking(CANNOT, move || {
        (keys.decrypt(&password, &encrypted), permit)
    });
    let (decrypted, permit) = decrypted.await?;
    let opened = decrypted.map_err(failed)?.ok_or(ApiError::WrongPassword)?;
    context.charges.refund_password_attempt(attempt);
    Ok((permit, opened))
}

/// Logs the cause of an error. The client gets [`ApiError::Overloaded`].
fn failed(error: NoMemory) -> ApiError {
    tracing::error!(
        ?error,
        "could not derive the key of a password-protected paste"
    );
    ApiError::Overloaded
}
