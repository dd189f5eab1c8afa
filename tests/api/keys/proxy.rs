//! nginx in front of a server that asks for keys: one that knows its users, and one that caches.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{bearer, save, server};
use crate::client::Request;
use crate::folder::Folder;
use crate::nginx::Nginx;
use crate::server::TestServer;

#[test]
#[ignore = "needs nginx"]
fn a_user_of_nginx_may_save_and_nobody_else_names_one() {
    let server = TestServer::with(&[
        "--access",
        "private",
        "--auth-header",
        "Remote-User",
        "--trusted-proxies",
        "127.0.0.1",
    ]);
    let folder = Folder::new("users");
    folder.write("users", "alice:{PLAIN}hunter2\n");
    let users = folder.path().join("users").display().to_string();
    let upstream = server.addr;
    // `/open/` asks for no password, but overwrites the header too.
    let nginx = Nginx::with_site(|addr, _| {
        format!(
            "server {{
        listen {addr};
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header Remote-User $remote_user;
        location / {{
            auth_basic users;
            auth_basic_user_file {users};
            proxy_pass http://{upstream};
        }}
        location /open/ {{ proxy_pass http://{upstream}/; }}
    }}"
        )
    });
    let alice = format!("Basic {}", STANDARD.encode("alice:hunter2"));
    let as_alice = |request: Request| request.header("Authorization", &alice);
    let status = |request: Request| nginx.pass(&request).status;
    assert_eq!(status(as_alice(nginx.request("POST", "/")).body("x")), 201);
    // A header of the client's own does not arrive.
    let forged = |path| nginx.request("GET", path).header("Remote-User", "alice");
    assert_eq!(status(as_alice(forged("/help"))), 200);
    assert_eq!(status(forged("/open/help")), 401);
    // A page of another site saves nothing with the user's password, and one of this site does.
    for (origin, expected) in [
        ("https://evil.example".to_owned(), 403),
        (format!("http://{}", nginx.addr()), 201),
    ] {
        let request = as_alice(nginx.request("POST", "/")).header("Origin", origin);
        assert_eq!(status(request.body("x")), expected);
    }
    assert_eq!(server.store.occupancy().pastes, 2);
}

#[test]
#[ignore = "needs nginx"]
fn a_shared_cache_gives_nothing_of_a_private_server_to_those_without_a_key() {
    let (server, _file, key) = server("private");
    let nginx = Nginx::in_front_of(server.addr);
    let saved = save(&server, &key);
    let with_cookie = |request: Request, key: &str| request.header("Cookie", format!("key={key}"));
    for credential in [bearer, with_cookie] {
        for path in [
            saved.path.clone(),
            saved.raw(),
            saved.download(),
            format!("/qr/{}", saved.id),
            format!("/html{}", saved.path),
            "/help".to_owned(),
            "/".to_owned(),
            "/html/".to_owned(),
        ] {
            let ask = || nginx.request("GET", &path);
            for _ in 0..2 {
                assert_eq!(nginx.pass(&credential(ask(), &key)).status, 200, "{path}");
            }
            let without = nginx.pass(&ask());
            assert_eq!((without.status, without.is_hit()), (401, false), "{path}");
        }
    }
}
