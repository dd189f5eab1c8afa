//! Addresses that are not pastes: the editor, the help, assets, robots, health.

use crate::every_tier::counts::stats;
use crate::forms::Forms;
use crate::server::{Saved, TestServer, Tier};

#[test]
fn the_root_is_the_editor_for_a_browser_and_a_short_how_to_for_other_clients() {
    let server = TestServer::with(&["--base-url", "https://paste.example.org"]);
    let editor = server.browse("/");
    assert!(editor.text().contains("<textarea") && editor.text().contains("1 MiB"));
    let how_to = server.get("/");
    assert_eq!(
        how_to.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert!(
        how_to
            .text()
            .contains("curl --data-binary @- https://paste.example.org")
    );
    assert!(
        how_to.text().ends_with('\n') && how_to.text().lines().all(|line| line.len() <= 80),
        "{}",
        how_to.text()
    );
    assert_eq!(server.get("/help").body, how_to.body);
    assert!(
        server
            .browse("/help")
            .text()
            .contains("https://paste.example.org")
    );
}

#[test]
fn every_asset_that_a_page_names_exists() {
    let server = TestServer::start();
    let saved = server.save("x");
    let burning = server.request("POST", "/").header("X-Burn", "1").body("x");
    let burning = Saved::of(&burning.send());
    for page in [
        server.browse("/"),
        server.browse("/help"),
        server.browse(&saved.path),
        server.browse(&burning.path),
        server.browse(&format!("{}/stats", saved.path)),
        server.browse(&format!("{}/edit", saved.path)),
        server.browse("/none"),
    ] {
        let links = page
            .text()
            .split(['"', '\''])
            .filter(|text| text.starts_with("/assets/"));
        let mut found = 0;
        for link in links {
            let asset = server.get(link);
            assert_eq!(asset.status, 200, "{link}");
            assert_eq!(
                asset.header("cache-control"),
                Some("public, max-age=31536000, immutable")
            );
            found += 1;
        }
        assert!(
            found >= 3,
            "a page without a style sheet, a script or an icon"
        );
    }
    assert_eq!(server.get("/assets/none.css").status, 404);
    assert_eq!(server.get("/assets/").status, 404);
}

#[test]
fn crawlers_are_asked_to_stay_away_and_health_is_reported() {
    let server = TestServer::start();
    let robots = server.get("/robots.txt");
    assert!(
        robots
            .text()
            .ends_with("Allow: /\n\nUser-agent: *\nDisallow: /\n")
    );
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert_eq!(
        server.browse("/favicon.ico").header("content-type"),
        Some("image/svg+xml")
    );
}

#[test]
fn a_qr_code_of_a_paste_shows_its_link_and_uses_no_view() {
    let server = TestServer::with(&["--base-url", "https://paste.example.org"]);
    let saved = server.save("x");
    let path = format!("/qr{}", saved.path);
    let picture = server.get(&path);
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    let expected = tidebin::page::qr(&format!("https://paste.example.org{}", saved.path));
    assert_eq!(Some(picture.text()), expected.as_deref());
    let page = server.browse(&saved.path);
    assert!(page.text().contains(&path));
    assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 1);
    let delete = server.request("DELETE", &saved.path);
    delete.header("X-Token", &saved.token).send();
    assert_eq!(server.get(&path).status, 410);
    assert_eq!(server.get("/qr/AAAAAAAAAAAA").status, 404);
}

#[test]
fn a_new_paste_is_made_from_another_with_its_text_title_and_language() {
    let server = TestServer::start();
    let text = "\nfn main() {}\n</textarea>";
    let request = server.request("PUT", "/a%26b.rs").body(text);
    let saved = Saved::of(&request.send());
    let page = server.browse(&format!("/?from={}&utm=x", &saved.path[1..]));
    let html = page.text();
    assert!(html.contains(">\n\nfn main() {}\n&#60;/textarea&#62;</textarea>"));
    assert!(html.contains("value=\"a&#38;b.rs\""));
    assert!(html.contains("<option value=\"rust\" data-ending=\"rs\" selected>"));
    // A copy counts as a read.
    assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 1);
    let binary = server.save(b"\xff\x00");
    for (from, status) in [
        (&binary.path[1..], 400),
        ("AAAAAAAAAAAA", 404),
        ("", 404),
        ("%3Cscript%3E", 404),
    ] {
        let answer = server.browse(&format!("/?from={from}"));
        assert_eq!(answer.status, status, "{from}");
        assert!(!answer.text().contains("<script>"));
    }
    assert_eq!(server.browse("/?other=1").status, 200);
}

#[test]
fn a_link_fills_the_editor_with_options_but_never_with_a_text() {
    let server = TestServer::start();
    let page = |query: &str| server.browse(&format!("/?{query}"));
    let preset =
        page("expires=90m&burn=2&lang=rs&title=a+%22b%22&text=x1&content=x2&utm_source=x3");
    assert_eq!(preset.status, 200);
    let html = preset.text();
    let mut selected: Vec<_> = html.lines().filter(|it| it.contains(" selected")).collect();
    selected.dedup();
    assert!(selected[0].contains("value=\"rust\""), "{selected:?}");
    assert!(
        selected[1].contains("<option value=\"90m\" selected>"),
        "{selected:?}"
    );
    assert_eq!(selected[2], "<option value=\"2\" selected>2 views</option>");
    assert!(html.contains("value=\"a &#34;b&#34;\""), "{html}");
    assert!(["x1", "x2", "x3"].iter().all(|it| !html.contains(it)));
    assert_eq!(page("expires=&burn=&lang=&title=").status, 200);
    for wrong in [
        "expires=90",
        "expires=366d",
        "burn=0",
        "lang=nonsense",
        "title=%FF",
    ] {
        let refused = page(wrong);
        assert_eq!(refused.status, 400, "{wrong}");
    }
}

#[test]
fn only_an_open_text_has_a_list_of_languages_and_looking_at_it_is_no_view() {
    let server = TestServer::start();
    let saved = server.save("x");
    let list = |saved: &Saved| server.browse(&format!("{}/language", saved.path));
    let page = list(&saved);
    let python = format!("<a href=\"{}.py\">Python</a>", saved.path);
    assert!(page.text().contains(&python));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 0);
    let burning = server.request("POST", "/?burn=1").body("x").send();
    for other in [server.save(b"\xff\0"), Saved::of(&burning)] {
        assert_eq!(list(&other).status, 404);
    }
    assert_eq!(server.browse("/AAAAAAAAAAAA/language").status, 404);
}

#[test]
fn every_page_has_the_name_of_the_site_and_the_links_of_the_operator() {
    // Given an operator whose site has a name, an imprint and an address
    let server = TestServer::with(&[
        "--site-name",
        "Harbour & Co",
        "--links",
        "Imprint=https://harbour.example/imprint",
        "--contact",
        "abuse@harbour.example",
    ]);
    let saved = server.save("text");

    // Then a page, and that of an error, shows all three
    for path in ["/", "/help", &saved.path, "/AAAAAAAAAAAA"] {
        let page = server.browse(path);
        for part in [
            " · Harbour &#38; Co</title>",
            "<a href=\"https://harbour.example/imprint\">Imprint</a>",
            "<a href=\"mailto:abuse@harbour.example\">Contact</a>",
            concat!("<span>tidebin ", env!("CARGO_PKG_VERSION"), "</span>"),
        ] {
            assert!(page.text().contains(part), "{part} on {path}");
        }
    }
}

#[test]
fn only_a_server_without_storage_says_that_a_restart_loses_pastes() {
    for (tier, is_said) in [(Tier::Memory, true), (Tier::Disk, false)] {
        let missing = TestServer::of(tier, &[]).get("/AAAAAAAAAAAA");
        assert_eq!(missing.text().contains("restart"), is_said, "{missing:?}");
    }
}

#[test]
fn a_page_that_does_not_open_again_is_called_by_how_it_is_protected() {
    let server = TestServer::start();
    let open = server.save("tide\nx");
    assert!(server.browse(&open.path).text().contains("<title>tide · "));
    for (query, body, name) in [
        ("burn=1", "", "Burns after reading"),
        ("password=p", "password=p", "Password protected"),
    ] {
        let saving = server.request("POST", &format!("/?{query}"));
        let saved = Saved::of(&saving.body("tide\nx").send());
        let opening = server
            .request("POST", &saved.path)
            .header("Accept", "text/html");
        let page = opening.form(body).send();
        assert!(page.text().contains(">tide\n"), "{page:?}");
        let title = format!("<title>{name} · ");
        assert!(page.text().contains(&title), "{page:?}");
    }
}
