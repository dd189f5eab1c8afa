//! How the function waits for the next view of a paste.

use std::time::Duration;

use super::in_every_shell;
use crate::client::until;

#[test]
#[ignore = "needs curl"]
fn it_waits_until_a_paste_is_viewed_or_has_ended() {
    in_every_shell(|server, shell| {
        let viewed = shell.save("echo text | pb");
        let burned = shell.save("echo text | pb -b 1");
        for (path, method, told) in [(&viewed, "GET", "1 view"), (&burned, "POST", "UTC")] {
            // Given that it has waited in vain once
            let printed = std::thread::scope(|scope| {
                let waiting = scope.spawn(|| shell.run(&format!("pb wait $URL{path}")).text());
                server.until("waiting", |load| load.paused == 1);
                let before = server.overload.connections().admitted;
                server.advance(Duration::from_secs(9 * 60));
                until(|| server.overload.connections().admitted > before);
                assert_eq!(server.request(method, path).send().status, 200);
                server.advance_until(Duration::from_secs(2), || waiting.is_finished());
                waiting.join().unwrap()
            });
            assert!(printed.contains(told), "{printed}");
        }
        let again = shell.run(&format!("pb wait $URL{burned}")).text();
        assert!(again.contains("UTC"), "{again}");
        shell.fail("pb wait $URL/0123456789ab");
    });
}
