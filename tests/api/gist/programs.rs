//! Programs that speak GitHub's API of gists: `gh`, the old one of Debian and the newest of PyPI, and `gist-paste`.

use std::process::{Command, Stdio};

use crate::folder::Folder;
use crate::nginx::Nginx;
use crate::server::TestServer;

/// Runs a line of a shell with this environment. Returns what it prints.
fn run(folder: &Folder, environment: &[(&str, &str)], line: &str) -> String {
    let output = Command::new("sh")
        .args(["-ec", line])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {complaint}");
    String::from_utf8(output.stdout).expect("it printed text")
}

#[test]
#[ignore = "needs gh, PyPI, nginx and openssl"]
fn gh_creates_shows_changes_and_deletes_a_gist() {
    // Given a server behind TLS, on which gh insists
    let server = TestServer::with(&["--trusted-proxies", "127.0.0.1"]);
    let folder = Folder::new("gh");
    let path = folder.path().display().to_string();
    run(
        &folder,
        &[],
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 \
        -subj /CN=localhost -addext subjectAltName=DNS:localhost",
    );
    let nginx = Nginx::with_site(|addr, _| {
        format!(
            "server {{ listen {addr} ssl; ssl_certificate {path}/cert.pem; ssl_certificate_key {path}/key.pem; \
             location / {{ proxy_pass http://{}; proxy_set_header Host $http_host; \
             proxy_set_header X-Forwarded-Proto https; }} }}",
            server.addr
        )
    });
    let host = format!("localhost:{}", nginx.addr().port());
    let environment = [
        ("GH_HOST", &*host),
        ("GH_ENTERPRISE_TOKEN", "tbo_0123456789abcdefABCDEF"),
        ("SSL_CERT_FILE", "cert.pem"),
        ("GH_CONFIG_DIR", "gh"),
        ("NO_COLOR", "1"),
        ("EDITOR", "sed -i s/main/start/"),
    ];
    // And the one of Debian, and the newest that PyPI has
    let gh = |line: &str| run(&folder, &environment, line);
    let versions = ["/usr/bin/gh", "gh"].map(|program| gh(&format!("{program} --version")));
    assert_ne!(versions[0], versions[1]);
    for program in ["/usr/bin/gh", "gh"] {
        creates_shows_changes_and_deletes(&server, &folder, &host, &|line| {
            gh(&line.replace("gh gist", &format!("{program} gist")))
        });
    }
}

fn creates_shows_changes_and_deletes(
    server: &TestServer,
    folder: &Folder,
    host: &str,
    gh: &dyn Fn(&str) -> String,
) {
    // When it creates a gist of two files
    folder.write("a.c", "int main;\n");
    folder.write("b.md", "# B\n");
    let url = gh("gh gist create -d tide a.c b.md");
    let url = url.trim();
    let id = url.strip_prefix(&format!("https://{host}/")).expect(url);
    // Then it can be shown, changed and deleted
    assert_eq!(
        gh(&format!("gh gist view --raw -f a.c {id}")),
        "int main;\n"
    );
    gh(&format!("gh gist edit {id} -f a.c"));
    folder.write("c.txt", "c\n");
    gh(&format!("gh gist edit {id} -a c.txt"));
    assert_eq!(
        gh(&format!("gh gist view --files {id}")),
        "a.c\nb.md\nc.txt\n"
    );
    assert_eq!(server.get(&format!("/{id}/a.c")).text(), "int start;\n");
    // The newer one asks, unless it is told not to; the older one does not know the option
    gh(&format!(
        "gh gist delete --yes {url} 2>/dev/null || gh gist delete {url}"
    ));
    assert_eq!(server.get(&format!("/{id}")).status, 410);
    // And a list is refused with a sentence
    let refused = gh("gh gist list 2>&1 || true");
    assert!(refused.contains("GET /api/v1/pastes"), "{refused}");
}

#[test]
#[ignore = "needs gist-paste"]
fn gist_paste_creates_and_changes_a_gist() {
    let server = TestServer::start();
    let folder = Folder::new("gist-paste");
    folder.write(
        &format!(".gist.http.127.0.0.1.{}", server.addr.port()),
        "tbo_0123456789abcdefABCDEF",
    );
    let url = format!("http://{}", server.addr);
    let environment = [("GITHUB_URL", &*url)];
    folder.write("a.c", "int a;\n");
    folder.write("b.md", "# B\n");
    folder.write("c.txt", "c\n");
    let saved = run(&folder, &environment, "gist-paste a.c b.md");
    let id = saved.trim().rsplit('/').next().unwrap().to_owned();
    run(&folder, &environment, &format!("gist-paste -u {id} c.txt"));
    for (name, content) in [("a.c", "int a;\n"), ("b.md", "# B\n"), ("c.txt", "c\n")] {
        assert_eq!(server.get(&format!("/{id}/{name}")).text(), content);
    }
    run(&folder, &environment, &format!("gist-paste --delete {id}"));
    assert_eq!(server.get(&format!("/{id}")).status, 410);
}
