//! Tests of properties that all answers of the server have.

mod errors;
mod every_sentence;
mod terminal;
mod wording;
