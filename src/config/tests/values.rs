//! A value of every setting, unlike its default where it has one.

/// The variables and values, in the order of the table. `keys` is the file of keys.
pub(super) fn every_value(keys: &str) -> Vec<(&'static str, &str)> {
    vec![
        ("TIDEBIN_ADDR", "[::1]:0"),
        ("TIDEBIN_BASE_URL", "https://paste.example.org/"),
        ("TIDEBIN_TCP_ADDR", "127.0.0.1:9999"),
        ("TIDEBIN_SECRET", "correct horse battery staple, 32"),
        ("TIDEBIN_DATA", "/var/lib/tidebin"),
        ("TIDEBIN_MAX_DISK", "64MiB"),
        // With a data directory, it may only be unset.
        ("TIDEBIN_VALKEY", ""),
        ("TIDEBIN_MAX_PASTE_SIZE", "1GiB"),
        ("TIDEBIN_MAX_STORE_SIZE", "2GiB"),
        ("TIDEBIN_MAX_PAGE_CACHE", "0"),
        ("TIDEBIN_MAX_IN_FLIGHT", "3GiB"),
        ("TIDEBIN_DEFAULT_EXPIRY", "90"),
        ("TIDEBIN_MAX_EXPIRY", "never"),
        ("TIDEBIN_REDIRECT", "preview"),
        ("TIDEBIN_IMAGES", "on"),
        ("TIDEBIN_ENCRYPTION", "default"),
        ("TIDEBIN_LIMIT_SAVE", "rate 2/s burst 10 wait 2s"),
        ("TIDEBIN_LIMIT_READ", "quota 1000/h"),
        ("TIDEBIN_LIMIT_MISS", "off"),
        ("TIDEBIN_LIMIT_PASSWORD", "rate 1/m burst 3"),
        ("TIDEBIN_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8"),
        ("TIDEBIN_PROXY_HEADER", "X-Real-IP"),
        ("TIDEBIN_NETWORKS", "10.0.0.0/8 allow, ::/0 limit x10"),
        ("TIDEBIN_ADMIN_TOKEN", "correct-horse-battery"),
        ("TIDEBIN_ACCESS", "open"),
        ("TIDEBIN_KEYS", keys),
        ("TIDEBIN_AUTH_HEADER", "Remote-User"),
        // With the header above, it may only be unset.
        ("TIDEBIN_CORS", ""),
        ("TIDEBIN_CONTACT", "abuse@bin.example"),
        ("TIDEBIN_SITE_NAME", "Harbour"),
        ("TIDEBIN_LINKS", "Imprint=https://bin.example/imprint"),
        ("TIDEBIN_LOG", "warn,tidebin=debug"),
        ("TIDEBIN_LOG_FORMAT", "json"),
    ]
}
