//! The pages that ask for a secret before they let a client go on: the token of a paste, or a key.

mod login_page;
mod token_page;

pub(crate) use login_page::LoginPage;
pub(crate) use token_page::TokenPage;
