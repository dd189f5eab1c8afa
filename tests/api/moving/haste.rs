//! haste's Redis: a key for each document, which expires if haste was told so.

use std::time::Duration;

use super::Import;
use crate::engine::Engine;
use crate::free_port::free_address;
use crate::nginx::Nginx;

#[test]
#[ignore = "needs python3, nginx, and valkey-server or redis-server"]
fn a_thousand_documents_of_haste_move_and_nginx_knows_their_old_addresses() {
    let port = free_address().port().to_string();
    let redis = Engine::empty(&["--port", &port]);
    redis.ask(
        "EVAL \"for i=1,999 do redis.call('SET', 'okawucuq'..string.format('%03d', i), 'line '..i..'\\\\n\\\\195\\\\169', \
         'EX', 3600) end return 1\" 0",
    );
    for command in [
        "SELECT 0",
        "SET aBcDeFgHiJ upper",
        "SET AbCdEfGhIj lower",
        "SET twelve-chars twelve",
        "SET help page",
        "SET empty \"\"",
        "HSET other field value",
    ] {
        redis.ask(command);
    }
    let url = format!("redis://127.0.0.1:{port}/0");
    let import = Import::start("haste.py", &[&url]);
    let (printed, left) = import.run_interrupted();
    assert!(
        printed.ends_with("were saved before, 2 left out\n"),
        "{printed}"
    );
    assert!(left.contains("Left out /empty: ") && left.contains("Left out /other: WRONGTYPE"));
    assert_eq!(import.pastes(), 1003);
    assert_eq!(
        import.run().0,
        "0 saved, 1003 were saved before, 2 left out\n"
    );
    for path in ["/okawucuq007", "/okawucuq007.rs", "/raw/okawucuq007"] {
        assert_eq!(import.read(path), "line 7\né".as_bytes(), "{path}");
    }
    let map = import.folder.path().join("moved.map");
    let nginx = Nginx::with_site(|addr, _| {
        format!(
            "map $uri $moved {{ include {}; }}
            server {{
                listen {addr};
                if ($moved) {{ return 301 $moved; }}
                location / {{ proxy_pass http://{}; }}
            }}",
            map.display(),
            import.server.addr
        )
    });
    let follow = |path: &str| {
        let passed = nginx.pass(&nginx.request("GET", path));
        let location = passed
            .head
            .lines()
            .find_map(|line| line.strip_prefix("location: "))?;
        let (_, path) = location.rsplit_once(&nginx.addr().to_string())?;
        Some(String::from_utf8(import.read(path)).unwrap())
    };
    for (path, content) in [
        ("/aBcDeFgHiJ", Some("upper")),
        ("/raw/AbCdEfGhIj", Some("lower")),
        ("/twelve-chars", Some("twelve")),
        ("/help", Some("page")),
        ("/abcdefghij", None),
        ("/okawucuq007", None),
    ] {
        assert_eq!(follow(path).as_deref(), content, "{path}");
    }
    import.server.advance(Duration::from_secs(3602));
    assert_eq!(import.get("/okawucuq007").send().status, 410);
}
