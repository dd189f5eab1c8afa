//! The content coding that a client accepts (RFC 9110, section 12.5.3).

use actix_web::http::header::{ACCEPT_ENCODING, HeaderMap};

use super::format::elements;
pub(crate) use crate::page::Coding;

impl Coding {
    /// The preferred coding among the accepted ones: brotli, then gzip.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let (mut brotli, mut gzip, mut any) = (None, None, None);
        for (name, is_accepted) in elements(headers, ACCEPT_ENCODING) {
            match name {
                name if name.eq_ignore_ascii_case("br") => brotli = Some(is_accepted),
                name if name.eq_ignore_ascii_case("gzip") => gzip = Some(is_accepted),
                "*" => any = Some(is_accepted),
                _ => (),
            }
        }
        let accepts = |coding: Option<bool>| coding.or(any).unwrap_or(false);
        match (accepts(brotli), accepts(gzip)) {
            (true, _) => Self::Brotli,
            (false, true) => Self::Gzip,
            (false, false) => Self::Identity,
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn a_client_gets_the_best_coding_that_it_accepts() {
        for (accepted, coding) in [
            (None, Coding::Identity),
            (Some("gzip, deflate, br, zstd"), Coding::Brotli),
            (Some("gzip"), Coding::Gzip),
            (Some("GZIP;q=0.5, identity"), Coding::Gzip),
            (Some("br;q=0, gzip"), Coding::Gzip),
            (Some("br;q=0.000, gzip; q=0"), Coding::Identity),
            (Some("*"), Coding::Brotli),
            (Some("*, br;q=0"), Coding::Gzip),
            (Some("*;q=0"), Coding::Identity),
            (Some("identity"), Coding::Identity),
            (Some("brr, gzi, ;;,="), Coding::Identity),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accepted) = accepted {
                headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            }
            assert_eq!(Coding::of(&headers), coding, "{accepted:?}");
        }
    }
}
