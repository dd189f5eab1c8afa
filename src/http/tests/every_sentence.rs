//! Every sentence that the server writes, except on pages: each one is plain and says what to do. Every page of an
//! error has a plain heading.
//!
//! `cargo test every_sentence -- --nocapture` prints the list.

use super::{errors, terminal, wording};
use crate::http::problem::ProblemType;

#[test]
#[allow(clippy::print_stdout, reason = "the list is for reading")]
fn every_sentence_is_plain_and_short() {
    let mut list = String::new();
    let mut violations = Vec::new();
    for (title, texts) in [
        ("Errors of requests", errors::sentences()),
        ("Types of problems", errors::meanings()),
        ("Errors of the configuration", terminal::config_errors()),
        ("tidebin --help", terminal::command_help()),
    ] {
        list += &format!("\n{title}\n\n");
        for text in texts {
            list += &format!("- {text}\n");
            violations.extend(wording::violations(&text));
        }
    }
    let card = terminal::help_card();
    list += &format!("\nGET /help in a terminal\n\n{card}");
    violations.extend(card.lines().flat_map(wording::unplain));
    println!("{list}");
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn the_page_of_every_error_has_a_plain_heading() {
    for problem_type in ProblemType::ALL {
        let heading = problem_type.about().heading;
        assert!(wording::unplain(heading).is_empty(), "{heading}");
    }
}
