//! The names of the save options in headers and in the query.

use crate::spelling;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SaveOption {
    Expires,
    Language,
    Title,
    Burn,
    Password,
    /// The address, for the holders of keys.
    Slug,
    /// The name of the file, which no field or query parameter has: an upload has it in its disposition or path.
    FileName,
}

impl SaveOption {
    pub(crate) const COUNT: usize = 7;

    /// Names of headers, without `X-`, that limit who reads a paste or for how long, and what to send for each.
    const RESTRICTING: [(&str, &str); 12] = [
        ("Expires", "X-Expires"),
        ("Expire", "X-Expires"),
        ("Expiry", "X-Expires"),
        ("Expiration", "X-Expires"),
        ("Max-Days", "Max-Days"),
        ("Burn", "X-Burn"),
        ("Burn-After-Reading", "X-Burn"),
        ("Oneshot", "X-Burn"),
        ("Max-Downloads", "Max-Downloads"),
        ("Password", "X-Password"),
        ("Encrypt-Password", "X-Password"),
        ("Wastebin-Password", "X-Password"),
    ];

    /// The same for the other options. Only names with `X-` mean them.
    const DESCRIBING: [(&str, &str); 3] =
        [("Lang", "X-Lang"), ("Title", "X-Title"), ("Slug", "X-Slug")];

    /// The option that a header sets; `name` is in lower case.
    /// Expiry and burn also accept the header names of other pastebins. If they were ignored, the paste would be stored
    /// for too long.
    pub(crate) fn of_header(name: &str) -> Option<Self> {
        match name {
            "x-expires" | "expire" | "expires" | "x-expire" | "expiry" | "max-days" => {
                Some(Self::Expires)
            }
            "x-lang" => Some(Self::Language),
            "x-title" => Some(Self::Title),
            "x-burn" | "max-downloads" => Some(Self::Burn),
            "x-password" | "wastebin-password" => Some(Self::Password),
            "x-slug" => Some(Self::Slug),
            "filename" => Some(Self::FileName),
            _ => None,
        }
    }

    /// The header that a client most likely meant if it sent one with this name, which sets no option.
    pub(super) fn meant_by_header(name: &str) -> Option<&'static str> {
        let own = name.strip_prefix("x-");
        let describing = own.map_or(&[][..], |_| &Self::DESCRIBING);
        let known = Self::RESTRICTING.iter().chain(describing);
        let names = known.clone().map(|(name, _)| *name);
        let nearest = spelling::nearest(own.unwrap_or(name), names)?;
        known
            .into_iter()
            .find_map(|(name, meant)| (*name == nearest).then_some(*meant))
    }

    pub(crate) fn of_query(name: &str) -> Option<Self> {
        match name {
            "expires" => Some(Self::Expires),
            "lang" => Some(Self::Language),
            "title" => Some(Self::Title),
            "burn" => Some(Self::Burn),
            "password" => Some(Self::Password),
            "slug" => Some(Self::Slug),
            _ => None,
        }
    }

    /// The name in the query, as error messages show it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Expires => "expires",
            Self::Language => "lang",
            Self::Title => "title",
            Self::Burn => "burn",
            Self::Password => "password",
            Self::Slug => "slug",
            Self::FileName => "filename",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_means_an_option_if_its_name_is_nearly_one_of_any_pastebin() {
        for (name, meant) in [
            ("x-bunr", "X-Burn"),
            ("x-titel", "X-Title"),
            ("x-encrypt-password", "X-Password"),
            ("x-max-downloads", "Max-Downloads"),
            ("max-download", "Max-Downloads"),
            ("max-day", "Max-Days"),
            ("burn", "X-Burn"),
            ("oneshot", "X-Burn"),
            ("password", "X-Password"),
            ("pasword", "X-Password"),
            ("exipre", "X-Expires"),
        ] {
            assert_eq!(SaveOption::meant_by_header(name), Some(meant), "{name}");
        }
    }

    /// The headers of HTTP, of proxies and of other programs.
    const OTHERS: &str = "accept accept-charset accept-encoding accept-language authorization baggage cache-control cdn-loop
        cf-connecting-ip cf-ray cf-visitor client-ip connection content-disposition content-encoding
        content-language content-length content-location content-md5 content-range content-type cookie date depth
        dnt early-data etag expect expect-ct fly-region forwarded from host http2-settings if-match
        if-modified-since if-none-match if-range if-unmodified-since keep-alive last-modified link max-forwards
        mime-version origin overwrite pragma prefer priority proxy-authorization proxy-connection range referer
        save-data sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site
        sec-fetch-user sec-gpc sec-purpose te title traceparent tracestate trailer transfer-encoding true-client-ip
        upgrade upgrade-insecure-requests user-agent via want-digest warning x-amzn-trace-id x-api-key x-b3-traceid
        x-client-ip x-cloud-trace-context x-correlation-id x-csrf-token x-forwarded-for x-forwarded-host
        x-forwarded-port x-forwarded-prefix x-forwarded-proto x-forwarded-server x-http-method x-original-url
        x-powered-by x-real-ip x-request-id x-request-start x-requested-with x-scheme x-token x-trace
        x-ua-compatible x-varnish";

    #[test]
    fn the_headers_of_http_and_of_proxies_mean_no_option() {
        for name in OTHERS.split_whitespace() {
            assert_eq!(SaveOption::meant_by_header(name), None, "{name}");
        }
    }
}
