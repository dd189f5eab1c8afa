//! The names of the save options in headers and in the query.

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

    /// The option that a header sets; `name` is in lower case. Expiry and burn have the names of other pastebins too.
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

/// Returns whether a header of this name, which sets no option, asks to show less of a paste than anyone with its URL
/// would see: one of its words is about a burn, an expiry, a password or a number of views. `name` is in lower case.
pub(super) fn asks_for_less(name: &str) -> bool {
    let begins = |word: &str, start| word.starts_with(start);
    name.split(['-', '_']).any(|word| match word.as_bytes() {
        [b'b', ..] => begins(word, "burn"),
        [b'd', ..] => begins(word, "delet") || begins(word, "destruct"),
        [b'e', ..] => begins(word, "expir"),
        [b'p', ..] => begins(word, "passw") || begins(word, "passp"),
        _ => matches!(
            word,
            "view" | "views" | "read" | "reads" | "once" | "ttl" | "life" | "lifetime"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headers of HTTP, of browsers, proxies, content delivery networks and other programs.
    const OTHERS: &str = "accept accept-charset accept-encoding accept-language access-control-request-headers
        akamai-origin-hop alt-used authorization baggage cache-control cdn-loop cf-connecting-ip cf-ipcountry cf-ray
        cf-visitor client-ip cloudfront-forwarded-proto cloudfront-is-mobile-viewer cloudfront-viewer-country
        connection content-disposition content-encoding content-language content-length content-location content-md5
        content-range content-type cookie date depth destination device-memory dnt downlink early-data ect etag expect
        expect-ct fastly-client-ip fly-region forwarded from host http2-settings if-match if-modified-since
        if-none-match if-range if-unmodified-since keep-alive last-event-id last-modified link lock-token
        max-forwards mime-version oneshot origin overwrite pragma prefer priority proxy-authorization
        proxy-connection purpose range referer rtt save-data sec-ch-prefers-color-scheme sec-ch-ua sec-ch-ua-mobile
        sec-ch-ua-platform sec-ch-viewport-width sec-fetch-dest sec-fetch-mode sec-fetch-site
        sec-fetch-storage-access sec-fetch-user sec-gpc sec-purpose sec-websocket-key service-worker te timeout title
        traceparent tracestate trailer transfer-encoding true-client-ip ua-cpu upgrade upgrade-insecure-requests
        user-agent via viewport-width want-digest warning x-amz-cf-id x-amz-content-sha256 x-amz-date x-amzn-trace-id
        x-api-key x-appengine-country x-arr-log-id x-azure-fdid x-b3-parentspanid x-b3-sampled x-b3-traceid
        x-client-data x-client-ip x-cloud-trace-context x-correlation-id x-csrf-token x-envoy-external-address
        x-envoy-expected-rq-timeout-ms x-forwarded-client-cert x-forwarded-for x-forwarded-host x-forwarded-port
        x-forwarded-prefix x-forwarded-proto x-forwarded-server x-goog-authenticated-user-email x-http-method-override
        x-original-url x-passenger-status x-powered-by x-purpose x-real-ip x-request-id x-request-start
        x-requested-with x-scheme x-thread-id x-token x-trace x-ua-compatible x-varnish x-wap-profile";

    #[test]
    fn a_header_asks_for_less_if_one_of_its_words_does() {
        for name in "burn x-burn-after burning x-self-destruct x-delete-at deletion x-passphrase password x-passwd
            encrypt-password linx-expiry x-expire-in x-expiration-days x-max-views max_reads x-read-once once view
            x-view-limit x-ttl paste_ttl x-life x-lifetime"
            .split_whitespace()
        {
            assert!(asks_for_less(name), "{name}");
        }
        for name in
            "x-thread-id x-viewer reader x-onceward x-lifetimes x-ttls nonce x-bunr linx-access-key"
                .split_whitespace()
        {
            assert!(!asks_for_less(name), "{name}");
        }
    }

    #[test]
    fn the_headers_of_http_and_of_proxies_ask_for_nothing() {
        for name in OTHERS.split_whitespace() {
            assert!(!asks_for_less(name), "{name}");
            assert_eq!(SaveOption::of_header(name), None, "{name}");
        }
    }
}
