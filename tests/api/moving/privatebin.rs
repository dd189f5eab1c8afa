//! PrivateBin's data folder. The fixtures are what PrivateBin 2.0 wrote for pbincli.

use std::fs;
use std::path::Path;

use super::Import;
use crate::chromium::Scripts::On;
use crate::chromium::visit_server;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api/fixtures/privatebin");
const OPEN: &str = "52d569a557786297#GoP4JUKYRyJBLf93fVQVUXeGofnAvfH4Mzeik73LC8fr";
const BURNING: &str = "718d26845b2191ab";
const TALK: &str = "94c704139eb96026";

#[test]
#[ignore = "needs python3"]
fn a_thousand_pastes_of_privatebin_move_whole_with_their_ends() {
    let import = Import::start("privatebin.py", &["data"]);
    let data = import.folder.path().join("data");
    let fixture = |id: &str| fs::read_to_string(place(Path::new(FIXTURES), id)).unwrap();
    let put = |id: &str, text: &str| {
        let file = place(&data, id);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    let open = fixture(&OPEN[..16]);
    let ids: Vec<_> = (0..1000)
        .map(|number| format!("{number:08x}{:08x}", !number))
        .collect();
    ids.iter().for_each(|id| put(id, &open));
    put(BURNING, &fixture(BURNING));
    put(TALK, &fixture(TALK));
    put(
        "ff00000000000000",
        "<?php http_response_code(403); /*\n{\"data\":\"{}\"}",
    );
    put(
        "ff00000000000001",
        "<?php http_response_code(403); /*\n{\"adata\":",
    );
    // What is as old as 1.2 has neither the ending nor the line of PHP.
    let file = place(&data, "ff00000000000002").with_extension("");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, open.split_once('\n').unwrap().1).unwrap();
    let (printed, left) = import.run_interrupted();
    assert!(
        printed.ends_with("were saved before, 3 left out\n"),
        "{printed}"
    );
    let left: Vec<_> = left
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    let paths = [TALK, "ff00000000000000", "ff00000000000001"];
    assert_eq!(left, paths.map(|id| format!("Left out /?{id}")));
    assert_eq!(import.pastes(), 1002);
    let again = import.run().0;
    assert_eq!(again, "0 saved, 1002 were saved before, 3 left out\n");
    let call = |id: &str| {
        let get = import.get(&format!("/?{id}"));
        get.header("X-Requested-With", "JSONHttpRequest").send()
    };
    for id in ids
        .iter()
        .step_by(99)
        .map(String::as_str)
        .chain(["ff00000000000002"])
    {
        let read = call(id);
        let adata = r#""adata":[["WoFr4bQFxyDZMasEonGtDw==","1CkXy+IDYN8=",100000,256,128,"aes","gcm","zlib"],"plaintext",0,0]"#;
        assert!(read.text().contains(adata), "{read:?}");
        let expires = import.get(&format!("/api/v1/pastes/{id}")).send();
        assert!(
            expires.text().contains("\"expires\":1796031915000,"),
            "{expires:?}"
        );
    }
    assert_eq!([(); 2].map(|()| call(BURNING).status), [200, 410]);
}

/// The file of a paste.
fn place(data: &Path, id: &str) -> std::path::PathBuf {
    data.join(&id[..2])
        .join(&id[2..4])
        .join(format!("{id}.php"))
}

#[test]
#[ignore = "needs chromium and python3"]
fn a_link_of_privatebin_opens_in_a_browser_after_the_move() {
    let import = Import::start("privatebin.py", &[FIXTURES]);
    import.run();
    visit_server(import.server, On, |visitor| {
        visitor.open(&format!("/?{OPEN}"));
        visitor.finds(
            "document.querySelector('.listing code').textContent",
            "hello: é",
        );
        assert_eq!(visitor.path(), format!("/{OPEN}"));
    });
}
