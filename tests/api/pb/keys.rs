//! The function `pb` on a server that asks for keys.

use super::in_every_shell_with;
use crate::keys::KeysFile;
use crate::server::TestServer;

#[test]
#[ignore = "needs curl"]
fn a_key_saves_reads_lists_and_deletes_on_a_private_server_and_goes_to_no_other() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let flags = ["--access", "private", "--keys", file.path()];
    in_every_shell_with(&flags, &key, |server, shell| {
        shell.write("file", "text");
        shell.write("password", "hush\n");
        for command in ["pb file", "pb ls", "pb get $URL/0123456789ab"] {
            let message = shell.fail(command);
            assert!(message.contains("key"), "{command}: {message}");
        }
        let add = format!("echo \"$URL {key}\" >>.local/share/pb/owners");
        shell.run(&add).text();
        let open = shell.save("pb file");
        let locked = shell.save("pb -P password file");
        assert_eq!(shell.run(&format!("pb get $URL{open}")).text(), "text");
        let read = shell.run(&format!("pb get -P password $URL{locked}"));
        assert_eq!(read.text(), "text");
        let list = shell.run("pb ls").text();
        assert!(list.contains(&open) && list.contains(&locked), "{list}");
        // With the token, and on a machine without it
        shell.run(&format!("pb rm $URL{open}")).text();
        shell.run("echo >.local/share/pb/tokens").text();
        shell.run(&format!("pb rm $URL{locked}")).text();
        assert_eq!(server.store.occupancy().pastes, 0);
        // No program gets it as an argument, and no other server at all
        let only = shell.record();
        shell.run(&format!("({only}; pb ls)")).text();
        assert!(!shell.read("arguments").contains(&key));
        let elsewhere = TestServer::start();
        let saved = shell.save(&format!("PB_URL=http://{} pb file", elsewhere.addr));
        assert_eq!(elsewhere.get(&saved).text(), "text");
    });
}
