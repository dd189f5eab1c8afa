//! What pbincli encrypts and the browser shows, and the other way round.

use super::{LINES, save, type_sealed};
use crate::chromium::Scripts::On;
use crate::chromium::visit_server;
use crate::server::TestServer;
use crate::terminal::Terminal;

#[test]
#[ignore = "needs chromium and pbincli of PyPI"]
fn pbincli_and_the_browser_read_what_the_other_encrypts() {
    let server = TestServer::with(&["--site-name", "Harbour"]);
    visit_server(server, On, |visitor| {
        let terminal = Terminal::of(&visitor.server);
        // Given a text that pbincli encrypts with a password, the browser shows it
        let printed = terminal.run("pbincli send -s $URL/ -t 'a text: é' -p 'ä b'");
        let printed = printed.text();
        let link = printed.lines().find_map(|line| line.strip_prefix("Link:"));
        visitor.open_url(link.unwrap().trim());
        visitor.tells("#state", "Enter the password");
        visitor.type_into("#password", "ä b");
        visitor.click("#unlock button");
        visitor.finds(LINES, "a text: é");
        // Given a text that the browser encrypts, pbincli reads it
        type_sealed(visitor, "typed: é");
        let (id, key) = {
            let path = save(visitor);
            let (id, key) = path[1..].split_once('#').unwrap();
            (id.to_owned(), key.to_owned())
        };
        visitor.finds("document.title", "a <b>title</b> · Harbour");
        let read = format!("mkdir out && pbincli get -o out \"$URL/?{id}#{key}\" && cat out/*");
        assert!(terminal.run(&read).text().ends_with("typed: é"));
    });
}
