//! Cards in chats: programs that show a card below a link get the page of an open paste, and everyone else what they
//! asked for.

use std::collections::HashSet;

use crate::client::Response;
use crate::every_tier::counts::stats;
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

/// What these programs send as `User-Agent`.
const AGENTS: [&str; 16] = [
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "Twitterbot/1.0",
    "TelegramBot (like TwitterBot)",
    "WhatsApp/2.23.20.0 A",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Mozilla/5.0 (Macintosh) Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
    "Mattermost-Bot/1.1",
    "http.rb/5.1.1 (Mastodon/4.2.0; +https://example.social/)",
    "Synapse (bot; +https://github.com/matrix-org/synapse)",
    "Mozilla/5.0 (compatible; ZulipURLPreview/8.0; +https://chat.example.org)",
    "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)",
    "Iframely/1.3.1 (+https://iframely.com/docs/about)",
    "Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)",
];

const PAGE: &str = "text/html; charset=utf-8";

fn get(server: &TestServer, path: &str, agent: &str, accept: Option<&str>) -> Response {
    let request = server.request("GET", path).header("User-Agent", agent);
    match accept {
        Some(accept) => request.header("Accept", accept).send(),
        None => request.send(),
    }
}

#[test]
fn a_program_that_shows_cards_gets_the_page_which_is_no_view() {
    let server = TestServer::start();
    let text = "fn main() {}\n// <\"tide\">\n";
    let titled = server.request("POST", "/").header("X-Title", "main.rs");
    let saved = Saved::of(&titled.body(text).send());
    for agent in AGENTS {
        for accept in [None, Some("*/*"), Some("text/plain, */*;q=0.1")] {
            let page = get(&server, &saved.path, agent, accept);
            let kind = (page.status, page.header("content-type"));
            assert_eq!(kind, (200, Some(PAGE)), "{agent}");
            assert_eq!(page.header("cache-control"), Some("private, no-cache"));
            for part in [
                "<meta name=\"robots\" content=\"noindex, nofollow\">",
                "\"og:title\" content=\"main.rs · Rust\">",
                "\"og:description\" content=\"fn main() {} // &#60;&#34;tide&#34;&#62;\">",
            ] {
                assert!(page.text().contains(part), "{part} for {agent}");
            }
        }
    }
    let lines = format!("{}?lines=2", saved.path);
    assert_eq!(
        get(&server, &lines, AGENTS[0], None).header("content-type"),
        Some(PAGE)
    );
    assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 0);
}

#[test]
fn every_other_request_gets_the_bytes() {
    let server = TestServer::start();
    let saved = server.save("text");
    let file = format!("{}?download=true", saved.path);
    for (path, agent, accept) in [
        (&saved.path, "curl/8.5.0", "*/*"),
        (&saved.path, "curl/8.5.0 (Discordbot)", "*/*"),
        (&saved.path, "python-requests/2.32.3", "*/*"),
        (&saved.path, "Go-http-client/1.1", "*/*"),
        (&saved.path, "Slackbot 1.0", "*/*"),
        (
            &saved.path,
            "Mozilla/5.0 (compatible; Googlebot/2.1)",
            "*/*",
        ),
        (&saved.path, AGENTS[1], "application/json, */*"),
        (&saved.path, AGENTS[1], "image/png"),
        (&saved.path, AGENTS[10], "application/activity+json"),
        (&saved.raw(), AGENTS[1], "*/*"),
        (&saved.download(), AGENTS[1], "*/*"),
        (&file, AGENTS[1], "*/*"),
    ] {
        let bytes = get(&server, path, agent, Some(accept));
        assert_eq!(bytes.text(), "text", "{path} for {agent}, {accept}");
    }
    assert_eq!(server.get(&saved.path).text(), "text");
    assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 13);
}

#[test]
fn a_cached_answer_is_of_no_use_to_a_program_that_shows_cards() {
    let server = TestServer::start();
    let saved = server.save("text");
    let etag = server.get(&saved.path).header("etag").unwrap().to_owned();
    let request = server.request("GET", &saved.path);
    let request = request.header("User-Agent", AGENTS[1]);
    let page = request.header("If-None-Match", &etag).send();
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some(PAGE))
    );
    let etag = page.header("etag").unwrap();
    let known = server.request("GET", &saved.path);
    let known = known.header("User-Agent", AGENTS[1]);
    assert_eq!(known.header("If-None-Match", etag).send().status, 304);
    assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 1);
}

#[test]
fn a_card_tells_nothing_of_a_burning_locked_or_encrypted_paste() {
    let server = TestServer::start();
    let sealed = r#"{"v":2,"adata":[["MDEyMzQ1Njc4OWFiY2RlZg==","MDEyMzQ1Njc=",100000,256,128,"aes","gcm","zlib"],"plaintext",0,0],"ct":"c2VjcmV0c2VjcmV0c2VjcmV0"}"#;
    for (option, value, content, status) in [
        ("X-Burn", "2", "secret", 405),
        ("X-Password", "p", "secret", 401),
        ("X-Title", "", sealed, 200),
        ("X-Burn", "2", sealed, 405),
    ] {
        let request = server.request("POST", "/").header(option, value);
        let saved = Saved::of(&request.body(content).send());
        for agent in AGENTS {
            let answer = get(&server, &saved.path, agent, Some("*/*"));
            assert_eq!(answer.status, status, "{option} {agent} {answer:?}");
            for told in ["secret", "og:"] {
                assert!(!answer.text().contains(told), "{told} for {agent}");
            }
        }
        assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 0);
    }
}

#[test]
fn a_card_tells_nothing_of_a_question() {
    let server = TestServer::start();
    let fields = [("question", "the secret?"), ("burn", "1")];
    let asked = Saved::of(&server.request("POST", "/").parts(&fields).send());
    for agent in AGENTS {
        let answer = get(&server, &asked.path, agent, Some("*/*"));
        assert!(!answer.text().contains("og:"), "{agent} {answer:?}");
    }
}

#[test]
fn a_private_server_shows_no_cards() {
    let (server, _file, key) = crate::keys::server("private");
    let key = format!("Bearer {key}");
    let saving = server.request("POST", "/").header("Authorization", &key);
    let saved = Saved::of(&saving.body("secret").send());
    let refused = get(&server, &saved.path, AGENTS[1], Some("*/*"));
    assert_eq!(refused.status, 401);
    assert!(!refused.text().contains("secret"));
    let request = server.request("GET", &saved.path);
    let request = request.header("User-Agent", AGENTS[1]);
    assert_eq!(
        request.header("Authorization", &key).send().text(),
        "secret"
    );
}

#[test]
fn a_short_link_leads_a_program_that_shows_cards_to_its_target_without_a_click() {
    let server = TestServer::start();
    let fields = [("url", "https://example.org/")];
    let link = Saved::of(&server.request("POST", "/").parts(&fields).send());
    let answer = get(&server, &link.path, AGENTS[1], Some("*/*"));
    let target = (answer.status, answer.header("location"));
    assert_eq!(target, (302, Some("https://example.org/")));
    assert_eq!(stats(&server, &link.id, &link.token)["reads"], 0);
}

#[test]
fn crawlers_are_asked_to_stay_away_but_not_programs_that_fetch_what_a_person_named() {
    let robots = TestServer::start().get("/robots.txt");
    let (cards, others) = robots.text().split_once("\n\n").unwrap();
    assert_eq!(others, "User-agent: *\nDisallow: /\n");
    let names = cards.strip_suffix("\nAllow: /").unwrap();
    let mut fetching = HashSet::from([
        "ChatGPT-User",
        "Claude-User",
        "Perplexity-User",
        "MistralAI-User",
        "meta-externalfetcher",
        "Amzn-User",
    ]);
    for name in names.lines() {
        let name = name.strip_prefix("User-agent: ").unwrap();
        // Others do not count as a name there (RFC 9309, section 2.2.1).
        let is_letter = |it: char| it.is_ascii_alphabetic() || it == '-' || it == '_';
        assert!(name.chars().all(is_letter), "{name}");
        let shows_cards = AGENTS.iter().any(|agent| agent.contains(name));
        assert!(shows_cards || fetching.remove(name), "{name}");
    }
    assert!(fetching.is_empty(), "{fetching:?}");
}
