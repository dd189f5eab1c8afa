//! A removal of all pastes of one that a crash interrupts.

use std::io::Write;
use std::net::SocketAddr;

use rustix::process::Signal;
use serde_json::Value;

use super::{Heard, hear, start_with};
use crate::client::{Request, connect, until};
use crate::folder::Folder;
use crate::forms::Forms;
use crate::operate::ADMIN;
use crate::process::{Running, tidebin};

const API: &str = "/api/v1/operate/pastes";

fn operate(addr: SocketAddr, method: &str) -> Request {
    Request::new(addr, method, API).header("Authorization", format!("Bearer {ADMIN}"))
}

fn start(data: &Folder) -> Running {
    start_with(Some(data), &[("TIDEBIN_ADMIN_TOKEN", ADMIN)])
}

/// The only network that holds something, and the number of its pastes.
fn holder(addr: SocketAddr) -> (String, u64) {
    let answer = operate(addr, "GET").send();
    let listed: Value = serde_json::from_str(answer.text()).expect("JSON");
    let holder = &listed["holders"][0];
    let of = holder["of"].as_str().unwrap_or_default().to_owned();
    (of, holder["pastes"].as_u64().unwrap_or(0))
}

/// Saves a paste. Returns its path, or `None` if the server has ended.
fn save(addr: SocketAddr) -> Option<String> {
    match hear(addr, "POST", "/", "x") {
        Heard::Answer(201, url) => {
            let url = String::from_utf8(url).expect("an address");
            let id = url.trim_end().rsplit('/').next().expect("an id");
            Some(format!("/raw/{id}"))
        }
        Heard::Answer(..) | Heard::Part(_) | Heard::Nothing => None,
    }
}

#[test]
fn a_removal_that_a_crash_interrupts_leaves_whole_pastes_and_can_be_repeated() {
    // Given more pastes of a network than a removal takes at once, and an owner who saves more all the time
    let data = Folder::new("removal");
    let running = start(&data);
    let addr = running.addr();
    let mut saved: Vec<String> = (0..600).map(|_| save(addr).expect("it runs")).collect();
    let (of, count) = holder(addr);
    assert_eq!(count, 600);
    std::thread::scope(|scope| {
        let saver = scope.spawn(|| std::iter::from_fn(|| save(addr)).collect::<Vec<_>>());
        let removal = operate(addr, "POST").form(format!("of={of}"));
        let sent = connect(addr).write_all(&removal.bytes());
        sent.expect("it runs");
        // When the server is killed once the first paste is gone
        until(|| matches!(hear(addr, "GET", &saved[0], ""), Heard::Answer(410, _)));
        running.send(Signal::KILL);
        saved.extend(saver.join().expect("it ends"));
    });
    assert_eq!(running.wait().0, None);
    // Then each paste is whole or was removed
    let running = start(&data);
    let addr = running.addr();
    let left = |addr| {
        let whole = saved
            .iter()
            .filter(|path| match hear(addr, "GET", path, "") {
                Heard::Answer(200, content) => {
                    assert_eq!(content, b"x");
                    true
                }
                Heard::Answer(410, told) => {
                    assert!(String::from_utf8_lossy(&told).contains("removed by the operator"));
                    false
                }
                _ => panic!("no answer for a paste that was saved"),
            });
        whole.count() as u64
    };
    // And when it is repeated, all are gone
    let (_, held) = holder(addr);
    // The answer to the last save may be lost.
    let unheard = held - left(addr);
    assert!(unheard <= 1, "{unheard}");
    let removed = operate(addr, "POST").form(format!("of={of}")).send();
    let removed: Value = serde_json::from_str(removed.text()).expect("JSON");
    assert_eq!(
        (&removed["removed"], &removed["more"]),
        (&held.into(), &false.into())
    );
    assert_eq!(left(addr), 0);
    running.send(Signal::TERM);
    assert_eq!(running.wait().0, Some(0));
    let path = data.path().to_str().expect("text");
    let checked = tidebin(&["check", "--data", path])
        .output()
        .expect("it runs");
    assert!(checked.status.success(), "{checked:?}");
}
