//! Tests of the sentences of malformed requests.

use super::*;

#[test]
fn every_error_is_one_line_that_says_what_to_do_next() {
    for (error, needles) in [
        (
            RequestError::unknown(RequestError::UnknownField, "burm", ["burn"]),
            &["`burm`: did you mean `burn`?", "`expires`"][..],
        ),
        (
            RequestError::unknown(RequestError::UnknownOption, "burm", ["burn"]),
            &["`burm`: did you mean `burn`?", "`expires`"],
        ),
        (
            RequestError::unknown(RequestError::UnknownField, "zzz", ["burn"]),
            &["`zzz`. Use `file`"],
        ),
        (RequestError::NoContent, &["Send", "`file`"]),
        (RequestError::SeveralContents, &["Send one"]),
        (
            RequestError::RepeatedField("expires", "`7d`"),
            &["`expires`", "Set it once", "`7d`"],
        ),
        (
            RequestError::Malformed("its end is missing"),
            &["its end is missing", "Send"],
        ),
        (
            RequestError::FieldTooLong("lang", "`rust`, at most 1 KiB"),
            &["`lang`", "`rust`", "1 KiB"],
        ),
    ] {
        let sentence = error.row().sentence;
        assert!(
            !sentence.contains('\n') && sentence.ends_with('.'),
            "{sentence}"
        );
        for needle in needles {
            assert!(sentence.contains(needle), "{needle} in {sentence}");
        }
    }
}

#[test]
fn an_error_repeats_only_what_looks_like_a_name() {
    let long = "a".repeat(1_000_000);
    for (name, shown) in [
        ("burm", "burm"),
        ("burn-after[0].x_1:2", "burn-after[0].x_1:2"),
        ("Your session expired", "…"),
        ("\x1b[2J", "…"),
        ("é", "…"),
        ("", "…"),
        (&long, "…"),
    ] {
        let sentence = RequestError::unknown(RequestError::UnknownField, name, [])
            .row()
            .sentence;
        assert!(sentence.contains(&format!("`{shown}`")), "{sentence}");
    }
}
