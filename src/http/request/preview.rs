//! Programs that fetch the one page that a person named. Those of chats that show a card below a link accept anything,
//! so they are known by their `User-Agent`.
//!
//! Cost: a search for each name, where a program that is not curl asks for the address of a paste.

use actix_web::http::header::{ACCEPT, HeaderMap, USER_AGENT};

/// What the `User-Agent` of a program contains that shows the cards of links, and its name in `robots.txt`. Signal says
/// that it is WhatsApp, and Apple's Messages that it is facebookexternalhit.
pub(crate) const PREVIEW_AGENTS: [&str; 15] = [
    "Slackbot-LinkExpanding",
    "Discordbot",
    "Twitterbot",
    "TelegramBot",
    "WhatsApp",
    "facebookexternalhit",
    "LinkedInBot",
    "SkypeUriPreview",
    "Mattermost-Bot",
    "Mastodon",
    "Synapse",
    "ZulipURLPreview",
    "Cardyb",
    "Iframely",
    "Embedly",
];

/// The names in `robots.txt` of agents that fetch the one page that a person named, by what their makers say:
/// developers.openai.com/api/docs/bots, support.claude.com/en/articles/8896518, docs.perplexity.ai/guides/bots,
/// docs.mistral.ai/robots, developers.facebook.com/docs/sharing/webmasters/web-crawlers, developer.amazon.com/amazonbot.
pub(crate) const FETCHING_AGENTS: [&str; 6] = [
    "ChatGPT-User",
    "Claude-User",
    "Perplexity-User",
    "MistralAI-User",
    "meta-externalfetcher",
    "Amzn-User",
];

/// Returns whether the client shows the card of a page, and accepts any format.
pub(crate) fn is_preview(headers: &HeaderMap) -> bool {
    let shows_cards = |agent: &str| {
        !agent.starts_with("curl/") && PREVIEW_AGENTS.iter().any(|name| agent.contains(name))
    };
    let mut agents = headers.get_all(USER_AGENT).flat_map(|it| it.to_str());
    let mut accepted = headers.get_all(ACCEPT).flat_map(|it| it.to_str());
    agents.any(shows_cards) && accepted.all(|it| it.contains("*/*"))
}
