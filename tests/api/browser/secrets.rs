//! The editor names likely secrets before it saves, and saves them if the user wants to.

use crate::chromium::Scripts::{Off, On};
use crate::chromium::input::{CONTROL, ENTER, ESCAPE};
use crate::chromium::{Visitor, visit, visit_server};
use crate::folder::Folder;
use crate::server::TestServer;

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
fn finds_in(visitor: &Visitor, text: &str) -> Vec<String> {
    let text = serde_json::to_string(text).unwrap();
    let finds = visitor.awaited(&format!("(text => {SCAN})({text})"));
    serde_json::from_value(finds).unwrap()
}

#[test]
#[ignore = "needs chromium"]
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
    visit(On, |visitor| {
        visitor.open("/");
        for (secret, kind) in secrets {
            let found = finds_in(visitor, &format!("é\r\n\n{secret}\nend"));
            assert_eq!(found, [format!("3 {kind}")], "{secret}");
        }
        let two = format!("{0}\n\n{0} {0}", github_token());
        assert_eq!(finds_in(visitor, &two).len(), 3);
    });
}

#[test]
#[ignore = "needs chromium"]
fn placeholders_hashes_certificates_and_examples_are_no_secrets() {
    let long = random(200);
    visit(On, |visitor| {
        visitor.open("/");
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
            let found = finds_in(visitor, &text);
            assert_eq!(found, Vec::<String>::new(), "{text}");
        }
    });
}

/// Types a text with a secret in its third line and saves it, with the keyboard.
fn save_secret(visitor: &Visitor) {
    let typed = format!("one\ntwo\ntoken = {}\nfour", github_token());
    visitor.type_into("#content", &typed);
    visitor.press(&format!("{CONTROL}s"));
    visitor.element("dialog[open]");
}

#[test]
#[ignore = "needs chromium"]
fn a_secret_is_named_before_the_save_and_the_user_goes_back_or_saves_it() {
    visit(On, |visitor| {
        visitor.open("/");
        save_secret(visitor);
        visitor.shows("dialog h2", "This text may contain a secret");
        visitor.shows("dialog li", "Line 3GitHub personal access token");
        visitor.tells(
            "dialog p",
            "Anyone with the link can read it, until the paste expires in 7 days.",
        );
        let text = visitor.text("dialog");
        assert!(!text.contains("ghp_"), "{text}");
        // The first button has the focus, and leads to the line
        visitor.finds(FOCUSED, "Back to the text");
        visitor.press(ENTER);
        visitor.finds(FOCUSED, "content");
        visitor.finds(SELECTED, format!("token = {}", github_token()));
        visitor.finds("document.querySelector('dialog')", serde_json::Value::Null);
        visitor.shows(".submit button", "Save");
        // Escape closes as well
        visitor.press(&format!("{CONTROL}{ENTER}"));
        visitor.finds(FOCUSED, "Back to the text");
        visitor.press(ESCAPE);
        visitor.finds(FOCUSED, "content");
        visitor.stays_at("/");
        visitor.click(".submit button");
        visitor.click("#save-anyway");
        visitor.tells(".listing code", "ghp_");
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_warning_tells_that_a_password_or_few_views_protect_the_secret() {
    visit(On, |visitor| {
        // A dialog that closes gives the focus back, so nothing is typed before.
        let close = || {
            visitor.press(ESCAPE);
            visitor.finds("document.querySelector('dialog')", serde_json::Value::Null);
        };
        visitor.open("/");
        visitor.click("#options summary");
        visitor.choose("#expires", "10m");
        save_secret(visitor);
        visitor.tells(
            "dialog p",
            "can read it, until the paste expires in 10 minutes.",
        );
        close();
        visitor.choose("#expires", "");
        visitor.type_into("#lifetime", "90s");
        visitor.click(".submit button");
        visitor.tells("dialog p", "can read it, until the paste expires in 90s.");
        close();
        visitor.choose("#burn", "1");
        visitor.type_into("#password", "dead reckoning");
        visitor.click(".submit button");
        let reach = "Anyone with the link and the password can read it, until the paste burns.";
        visitor.tells("dialog p", reach);
        visitor.click("#save-anyway");
        visitor.element(".saved");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_secret_in_a_change_of_a_paste_is_named_as_well() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "before");
        visitor.click(".submit button");
        visitor.element(".listing");
        let edit = format!("{}/edit", visitor.path());
        visitor.open(&edit);
        save_secret(visitor);
        visitor.tells("dialog p", "Anyone with the link can read it.");
        visitor.click("dialog li button");
        visitor.finds(FOCUSED, "content");
        visitor.stays_at(&edit);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_secret_in_a_title_is_named_as_well() {
    visit(On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "a text");
        visitor.type_into("#title", &github_token());
        visitor.click(".submit button");
        visitor.shows("dialog h2", IN_TITLE);
        visitor.shows("dialog li", "TitleGitHub personal access token");
        visitor.press(ENTER);
        visitor.finds(FOCUSED, "title");
        visitor.stays_at("/");
        // Typed while the scan runs
        visitor.open("/");
        let type_late = format!(
            "import(title.form.dataset.secrets).then(({{ review }}) => {{ title.value = ''; \
             review(title.form, () => {{}}); title.value = '{}'; }})",
            github_token()
        );
        visitor.awaited(&type_late);
        visitor.shows("dialog h2", IN_TITLE);
    });
}

#[test]
#[ignore = "needs chromium"]
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
    visit(On, |visitor| {
        for (file, heading) in [
            ("windows.env", "windows.env may contain a secret"),
            ("unix.env", "This text may contain a secret"),
            ("powershell.env", "powershell.env may contain a secret"),
            ("big-endian.env", "big-endian.env may contain a secret"),
        ] {
            visitor.open("/");
            let path = folder.path().join(file);
            visitor.choose_file("#file", &path);
            visitor.tells("#notice", file);
            visitor.click(".submit button");
            visitor.shows("dialog h2", heading);
            visitor.tells("dialog li", "Line 2");
            visitor.press(ENTER);
            visitor.stays_at("/");
            visitor.evaluate("localStorage.clear()");
        }
        visitor.open("/");
        // Without a title, the name of the file becomes the title. A draft may have one.
        visitor.evaluate("document.querySelector('#title').value = ''");
        let path = folder.path().join(&named);
        visitor.choose_file("#file", &path);
        visitor.tells("#notice", &named);
        visitor.click(".submit button");
        visitor.shows("dialog h2", IN_TITLE);
        visitor.press(ESCAPE);
        visitor.stays_at("/");
        visitor.open("/");
        let path = folder.path().join("noise.bin");
        visitor.choose_file("#file", &path);
        visitor.tells("#notice", "noise.bin");
        visitor.click(".submit button");
        visitor.element(".hex");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_text_that_was_agreed_to_is_not_asked_for_again_after_a_refused_save() {
    let server = TestServer::with(&["--limit-save", "rate 1/1m burst 1"]);
    server.save("uses up the burst");
    visit_server(server, On, |visitor| {
        visitor.open("/");
        save_secret(visitor);
        visitor.click("#save-anyway");
        visitor.tells("#refusal", "Not saved. ");
        visitor.server.advance(std::time::Duration::from_secs(60));
        visitor.click(".submit button");
        visitor.tells(".listing code", "ghp_");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_text_is_saved_if_the_scan_fails_or_scripts_are_off() {
    for scripts in [On, Off] {
        visit(scripts, |visitor| {
            visitor.open("/");
            if scripts == On {
                visitor
                    .evaluate("document.querySelector('.editor').dataset.secrets = '/nothing.js'");
            }
            visitor.type_into("#content", &github_token());
            visitor.click(".submit button");
            visitor.tells(".listing code", "ghp_");
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn the_rules_are_loaded_once_there_is_a_text_and_not_before() {
    const LOADED: &str = "performance.getEntriesByType('resource')\
        .filter(({ name }) => name.includes('/assets/secrets')).length";
    visit(On, |visitor| {
        visitor.open("/");
        visitor.until("document.readyState == 'complete'");
        visitor.finds(LOADED, 0);
        visitor.type_into("#content", "ab");
        visitor.finds(LOADED, 1);
    });
}
