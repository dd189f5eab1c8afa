//! The editor names likely secrets before it saves, and saves them if the user wants to.

use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit, visit_server};
use crate::folder::Folder;
use crate::server::TestServer;

const ESCAPE: &str = "\u{e00c}";
const CONTROL: &str = "\u{e009}";
const ENTER: &str = "\u{e007}";

/// The id of the focused element, or else its text.
const FOCUSED: &str = "document.activeElement.id || document.activeElement.textContent";

/// The heading of the question if only the title has a secret.
const IN_TITLE: &str = "The title may contain a secret";

/// The first line of the window.
const SELECTED: &str = "content.value.slice(content.selectionStart, content.selectionEnd)";

/// The finds of the expression `text`, such as `["3 GitHub personal access token"]`.
const SCAN: &str = "import(document.querySelector('.editor').dataset.secrets)\
    .then(({ scan }) => scan(text)).then(finds => finds.map(({ line, kind }) => `${line} ${kind}`))";

/// Letters and digits that look random. No secret stands in this file as a whole.
fn random(characters: usize) -> String {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        char::from(ALPHABET[usize::try_from(state >> 16).unwrap() % 62])
    };
    (0..characters).map(|_| next()).collect()
}

pub(super) fn github_token() -> String {
    format!("ghp_{}", random(36))
}

/// The finds of this text.
async fn finds_in(visitor: &Visitor<'_>, text: &str) -> Vec<String> {
    let text = serde_json::to_string(text).unwrap();
    let finds = visitor.awaited(&format!("(text => {SCAN})({text})")).await;
    serde_json::from_value(finds).unwrap()
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn keys_tokens_and_passwords_in_urls_are_found_with_their_line_and_kind() {
    let upper = "QWERTZUIOPASDFGH";
    let (hex, long) = ("0123456789abcdef".repeat(4), random(200));
    let secrets = [
        (github_token(), "GitHub personal access token"),
        (format!("AKIA{upper}"), "AWS access key ID"),
        (
            format!("aws_secret_access_key = {}", random(40)),
            "AWS secret access key",
        ),
        (
            format!("\"SecretAccessKey\": \"{}\",", random(40)),
            "AWS secret access key",
        ),
        (format!("AIza{}", random(35)), "Google Cloud API key"),
        (
            format!("AccountKey={}==;", random(86)),
            "Azure storage account key",
        ),
        (
            format!("glpat-{}", random(20)),
            "GitLab personal access token",
        ),
        (
            format!("xoxb-123456789012-{}", random(24)),
            "Slack legacy bot token",
        ),
        (
            format!("key('sk_live_{}')", random(24)),
            "Stripe secret key",
        ),
        (
            format!("//registry/:_authToken=npm_{}", random(36)),
            "npm access token",
        ),
        (
            format!("pypi-AgEIcHlwaS5vcmc{}", random(80)),
            "PyPI upload token",
        ),
        (
            format!("sk-proj-{0}T3BlbkFJ{0}", random(74)),
            "OpenAI API key",
        ),
        (
            format!("sk-ant-api03-{}AA", random(93)),
            "Anthropic API key",
        ),
        (
            format!("110201543:AA{}", random(33)),
            "Telegram bot API token",
        ),
        (
            format!("eyJhbGciOiJIUzI1NiJ9.ey{}.{}", random(40), random(43)),
            "JSON Web Token",
        ),
        (
            format!("dop_v1_{hex}"),
            "DigitalOcean personal access token",
        ),
        (
            format!("postgres://app:{}@db.example.org/app", random(12)),
            "Password in a URL",
        ),
        (
            format!("https://a:{}@github.com/a/b", github_token()),
            "GitHub personal access token",
        ),
        (format!("tbk_{}", random(22)), "tidebin key or secret"),
        (
            format!("Authorization: Bearer tbo_{}", random(22)),
            "tidebin key or secret",
        ),
        (
            format!("curl -H 'X-Token: {}'", random(22)),
            "Token of a tidebin paste",
        ),
        (
            format!("-----BEGIN RSA PRIVATE KEY-----\r\n{long}"),
            "Private key",
        ),
        (
            format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{long}"),
            "Private key",
        ),
        (
            format!("\"-----BEGIN PRIVATE KEY-----\\n{long}\\n\""),
            "Private key",
        ),
    ];
    visit(On, async |visitor| {
        visitor.open("/").await;
        for (secret, kind) in secrets {
            let found = finds_in(visitor, &format!("é\r\n\n{secret}\nend")).await;
            assert_eq!(found, [format!("3 {kind}")], "{secret}");
        }
        let two = format!("{0}\n\n{0} {0}", github_token());
        assert_eq!(finds_in(visitor, &two).await.len(), 3);
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn placeholders_hashes_certificates_and_examples_are_no_secrets() {
    let long = random(200);
    visit(On, async |visitor| {
        visitor.open("/").await;
        for text in [
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            format!("ghp_{}", "x".repeat(36)),
            "postgres://user:password@localhost/db, postgres://postgres:postgres@db".to_owned(),
            "https://me:$TOKEN@host https://me:${TOKEN}@host https://me:***@host".to_owned(),
            "mysql://root:<password>@host redis://:changeme@host http://[::1]:8080/a@b".to_owned(),
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".to_owned(),
            "text.startsWith(\"-----BEGIN PRIVATE KEY-----\") && decode(text)".to_owned(),
            format!("-----BEGIN CERTIFICATE-----\n{long}"),
            format!("ssh-ed25519 {long} me@host"),
            format!("sha256:{}", "0123456789abcdef".repeat(4)),
            include_str!("document.md").to_owned(),
            include_str!("../../../docs/api.md").to_owned(),
        ] {
            let found = finds_in(visitor, &text).await;
            assert_eq!(found, Vec::<String>::new(), "{text}");
        }
    });
}

/// Types a text with a secret in its third line and saves it, with the keyboard.
async fn save_secret(visitor: &Visitor<'_>) {
    let typed = format!("one\ntwo\ntoken = {}\nfour", github_token());
    visitor.type_into("#content", &typed).await;
    visitor.press(&format!("{CONTROL}s")).await;
    visitor.element("dialog[open]").await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_secret_is_named_before_the_save_and_the_user_goes_back_or_saves_it() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        save_secret(visitor).await;
        visitor
            .shows("dialog h2", "This text may contain a secret")
            .await;
        visitor
            .shows("dialog li", "Line 3GitHub personal access token")
            .await;
        visitor
            .tells(
                "dialog p",
                "Anyone with the link can read it, until the paste expires in 7 days.",
            )
            .await;
        let text = visitor.text("dialog").await;
        assert!(!text.contains("ghp_"), "{text}");
        // The first button has the focus, and leads to the line
        visitor.finds(FOCUSED, "Back to the text").await;
        visitor.press(ENTER).await;
        visitor.finds(FOCUSED, "content").await;
        visitor
            .finds(SELECTED, format!("token = {}", github_token()))
            .await;
        visitor
            .finds("document.querySelector('dialog')", serde_json::Value::Null)
            .await;
        visitor.shows(".submit button", "Save").await;
        // Escape closes as well
        visitor.press(&format!("{CONTROL}{ENTER}")).await;
        visitor.finds(FOCUSED, "Back to the text").await;
        visitor.press(ESCAPE).await;
        visitor.finds(FOCUSED, "content").await;
        visitor.stays_at("/").await;
        visitor.click(".submit button").await;
        visitor.click("dialog .actions .quiet").await;
        visitor.tells(".listing code", "ghp_").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_warning_tells_that_a_password_or_few_views_protect_the_secret() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.choose("#expires", "10m").await;
        save_secret(visitor).await;
        visitor
            .tells(
                "dialog p",
                "can read it, until the paste expires in 10 minutes.",
            )
            .await;
        visitor.press(ESCAPE).await;
        visitor.choose("#burn", "1").await;
        visitor.type_into("#password", "dead reckoning").await;
        visitor.click(".submit button").await;
        let reach = "Anyone with the link and the password can read it, until the paste burns.";
        visitor.tells("dialog p", reach).await;
        visitor.click("dialog .actions .quiet").await;
        visitor.element(".gate").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_secret_in_a_change_of_a_paste_is_named_as_well() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "before").await;
        visitor.click(".submit button").await;
        visitor.element(".listing").await;
        let edit = format!("{}/edit", visitor.path().await);
        visitor.open(&edit).await;
        save_secret(visitor).await;
        visitor
            .tells("dialog p", "Anyone with the link can read it.")
            .await;
        visitor.click("dialog li button").await;
        visitor.finds(FOCUSED, "content").await;
        visitor.stays_at(&edit).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_secret_in_a_title_is_named_as_well() {
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.type_into("#content", "a text").await;
        visitor.type_into("#title", &github_token()).await;
        visitor.click(".submit button").await;
        visitor.shows("dialog h2", IN_TITLE).await;
        visitor
            .shows("dialog li", "TitleGitHub personal access token")
            .await;
        visitor.press(ENTER).await;
        visitor.finds(FOCUSED, "title").await;
        visitor.stays_at("/").await;
        // Typed while the scan runs
        visitor.open("/").await;
        let type_late = format!(
            "import(title.form.dataset.secrets).then(({{ review }}) => {{ title.value = ''; \
             review(title.form, () => {{}}); title.value = '{}'; }})",
            github_token()
        );
        visitor.awaited(&type_late).await;
        visitor.shows("dialog h2", IN_TITLE).await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_secret_in_a_file_is_named_if_the_file_is_text() {
    let folder = Folder::new("files");
    folder.write(
        "windows.env",
        format!("A=1\r\nTOKEN={}\r\n", github_token()),
    );
    folder.write("unix.env", format!("A=1\nTOKEN={}\n", github_token()));
    let wide = format!("\u{feff}A=1\nTOKEN={}\n", github_token());
    let units = || wide.encode_utf16();
    let little_endian: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
    folder.write("powershell.env", little_endian);
    let big_endian: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    folder.write("big-endian.env", big_endian);
    let named = format!("{}.bin", github_token());
    folder.write(&named, b"\xff\0");
    folder.write("noise.bin", [b"\xff\0", github_token().as_bytes()].concat());
    visit(On, async |visitor| {
        for (file, heading) in [
            ("windows.env", "windows.env may contain a secret"),
            ("unix.env", "This text may contain a secret"),
            ("powershell.env", "powershell.env may contain a secret"),
            ("big-endian.env", "big-endian.env may contain a secret"),
        ] {
            visitor.open("/").await;
            let path = folder.path().join(file);
            visitor.type_into("#file", path.to_str().unwrap()).await;
            visitor.tells("#notice", file).await;
            visitor.click(".submit button").await;
            visitor.shows("dialog h2", heading).await;
            visitor.tells("dialog li", "Line 2").await;
            visitor.press(ENTER).await;
            visitor.stays_at("/").await;
            visitor.evaluate("localStorage.clear()").await;
        }
        visitor.open("/").await;
        // Without a title, the name of the file becomes the title. A draft may have one.
        visitor
            .evaluate("document.querySelector('#title').value = ''")
            .await;
        let path = folder.path().join(&named);
        visitor.type_into("#file", path.to_str().unwrap()).await;
        visitor.tells("#notice", &named).await;
        visitor.click(".submit button").await;
        visitor.shows("dialog h2", IN_TITLE).await;
        visitor.press(ESCAPE).await;
        visitor.stays_at("/").await;
        visitor.open("/").await;
        let path = folder.path().join("noise.bin");
        visitor.type_into("#file", path.to_str().unwrap()).await;
        visitor.tells("#notice", "noise.bin").await;
        visitor.click(".submit button").await;
        visitor.element(".hex").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_text_that_was_agreed_to_is_not_asked_for_again_after_a_refused_save() {
    let server = TestServer::with(&["--limit-save", "rate 1/1m burst 1"]);
    server.save("uses up the burst");
    visit_server(server, On, async |visitor| {
        visitor.open("/").await;
        save_secret(visitor).await;
        visitor.click("dialog .actions .quiet").await;
        visitor.tells("#refusal", "Not saved. ").await;
        visitor.server.advance(std::time::Duration::from_secs(60));
        visitor.click(".submit button").await;
        visitor.tells(".listing code", "ghp_").await;
    });
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_text_is_saved_if_the_scan_fails_or_scripts_are_off() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            visitor.open("/").await;
            if scripts == On {
                visitor
                    .evaluate("document.querySelector('.editor').dataset.secrets = '/nothing.js'")
                    .await;
            }
            visitor.type_into("#content", &github_token()).await;
            visitor.click(".submit button").await;
            visitor.tells(".listing code", "ghp_").await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_rules_are_loaded_once_there_is_a_text_and_not_before() {
    const LOADED: &str = "performance.getEntriesByType('resource')\
        .filter(({ name }) => name.includes('/assets/secrets')).length";
    visit(On, async |visitor| {
        visitor.open("/").await;
        visitor.until("document.readyState == 'complete'").await;
        visitor.finds(LOADED, 0).await;
        visitor.type_into("#content", "ab").await;
        visitor.finds(LOADED, 1).await;
    });
}
