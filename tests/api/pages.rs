//! What is not a paste: the editor, the how-to, assets, robots, health.

use crate::server::TestServer;

#[test]
fn the_root_is_the_editor_for_a_browser_and_a_short_how_to_for_everybody_else() {
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
    for page in [
        server.browse("/"),
        server.browse("/help"),
        server.browse(&saved.path),
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
fn robots_are_sent_away_and_health_is_told() {
    let server = TestServer::start();
    assert_eq!(
        server.get("/robots.txt").text(),
        "User-agent: *\nDisallow: /\n"
    );
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert_eq!(
        server.browse("/favicon.ico").header("content-type"),
        Some("image/svg+xml")
    );
}
