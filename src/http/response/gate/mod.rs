//! The responses that ask for a secret: the token of a paste, or a key.

mod login_page;
mod token_page;

pub(crate) use login_page::{key_cookie, login_page, no_key_cookie};
pub(crate) use token_page::ask_for_token;
