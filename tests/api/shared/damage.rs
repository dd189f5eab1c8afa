//! Pastes whose values in the engine were lost or damaged.

use std::sync::Arc;

use tidebin::clock::Clock;

use crate::engine::Engine;
use crate::server::{Saved, TestServer};

const OWNER: &str = "Bearer tbo_0123456789abcdefABCDEF";

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn lost_and_damaged_pastes_stop_no_others() {
    for script in [
        "redis.call('DEL',k)",
        "redis.call('SET',k,'damaged','PX','100000')",
        "redis.call('SETRANGE',k,24,'xxxx')",
        "redis.call('SETRANGE',k,redis.call('STRLEN',k)-1,'x')",
        "redis.call('SETRANGE',k,16,'12345678')",
        "if i%2==0 then redis.call('DEL',k) end",
    ] {
        let engine = Arc::new(Engine::start());
        let node = TestServer::node(&engine, &Clock::manual(), &[]);
        let save = |options: &str| {
            let save = node.request("POST", &format!("/{options}"));
            Saved::of(&save.header("Authorization", OWNER).body("text").send())
        };
        let damaged: Vec<_> = (0..9)
            .map(|i| save(["", "?burn=1", "?burn=3"][i % 3]))
            .collect();
        let pastes = "redis.call('KEYS','tb:{????????????????}')";
        engine.ask(&format!(
            "EVAL \"for i,k in ipairs({pastes}) do {script} end return 1\" 0"
        ));
        for paste in &damaged {
            for method in ["GET", "POST", "DELETE"] {
                let send = node
                    .request(method, &paste.path)
                    .header("X-Token", &paste.token);
                let status = send.send().status;
                assert!(status != 201 && status < 504, "{script}: {status}");
            }
        }
        // Then its owner lists the others, and the node goes on
        let saved = save("");
        let list = node.request("GET", "/mine").header("Authorization", OWNER);
        assert_eq!(list.send().status, 200);
        assert_eq!(node.get(&saved.raw()).text(), "text");
    }
}
