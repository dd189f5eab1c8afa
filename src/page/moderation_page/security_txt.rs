//! `security.txt` (RFC 9116): how to reach the operator.

use crate::date::Utc;

/// How long the file is valid: half a year. RFC 9116 recommends less than a year.
const VALID_MILLIS: u64 = 182 * 86_400_000;

/// Returns the file. `contact` is a URI, and `now` is in milliseconds since 1970.
pub(crate) fn security_txt(contact: &str, base_url: &str, now: u64) -> String {
    let expires = Utc::from_epoch_millis(now.saturating_add(VALID_MILLIS));
    format!(
        "Contact: {contact}\n\
         Expires: {expires}\n\
         Preferred-Languages: en\n\
         Canonical: {base_url}/.well-known/security.txt\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_a_contact_and_expires_half_a_year_from_now() {
        assert_eq!(
            security_txt("mailto:a@b.example", "https://b.example", 0),
            "Contact: mailto:a@b.example\n\
             Expires: 1970-07-02T00:00:00Z\n\
             Preferred-Languages: en\n\
             Canonical: https://b.example/.well-known/security.txt\n"
        );
    }
}
