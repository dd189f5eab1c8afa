//! An engine behind TLS. The certificate is made by openssl.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crate::client::until;
use crate::engine::Engine;
use crate::folder::Folder;
use crate::free_port::free_address;
use crate::process::{Running, tidebin};
use crate::server::Saved;

/// An engine with a certificate for `localhost`.
struct Tls {
    engine: Arc<Engine>,
    port: u16,
    folder: Folder,
}

impl Tls {
    /// `asks` is `yes` if the engine asks for a certificate of its clients.
    fn start(asks: &str) -> Self {
        Self::start_with(asks, &[])
    }

    /// One server of a Cluster. `hostname` is what it tells nodes to connect to: its name, or its address.
    fn of_cluster(told: &str) -> Self {
        let bus = free_address().port().to_string();
        let cluster = ["--cluster-enabled", "yes", "--tls-cluster", "yes"];
        let address = ["--cluster-announce-ip", "127.0.0.1", "--cluster-port", &bus];
        let name = ["--cluster-announce-hostname", "localhost"];
        let told = ["--cluster-preferred-endpoint-type", told];
        let tls = Self::start_with("no", &[&cluster[..], &address, &name, &told].concat());
        tls.engine.ask("CLUSTER ADDSLOTSRANGE 0 16383");
        until(|| !tls.engine.answer("GET x").starts_with('-'));
        tls
    }

    fn start_with(asks: &str, options: &[&str]) -> Self {
        let folder = Folder::new("tls");
        make_certificate(folder.path());
        let path = |name: &str| folder.path().join(name).display().to_string();
        let port = free_address().port();
        let tls = [
            "--tls-port",
            &port.to_string(),
            "--tls-cert-file",
            &path("certificate.pem"),
            "--tls-key-file",
            &path("key.pem"),
            "--tls-ca-cert-file",
            &path("certificate.pem"),
            "--tls-auth-clients",
            asks,
        ];
        let engine = Engine::empty(&[&tls[..], options].concat());
        Self {
            engine: Arc::new(engine),
            port,
            folder,
        }
    }

    /// The settings of a node that reaches the engine by this name, and trusts these certificates.
    fn settings(&self, host: &str, trusted: &str) -> [(&'static str, String); 4] {
        let trusted = self.folder.path().join(trusted).display().to_string();
        [
            ("TIDEBIN_VALKEY", format!("rediss://{host}:{}", self.port)),
            ("TIDEBIN_SECRET", "s".repeat(32)),
            ("TIDEBIN_MAX_STORE_SIZE", "1GiB".to_owned()),
            ("SSL_CERT_FILE", trusted),
        ]
    }
}

fn make_certificate(folder: &Path) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt"])
        .args(["ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext"])
        .args(["subjectAltName=DNS:localhost", "-addext"])
        .args(["basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", "key.pem", "-out", "certificate.pem"])
        .current_dir(folder)
        .output()
        .expect("openssl is installed");
    assert!(made.status.success(), "{made:?}");
    std::fs::write(folder.join("none.pem"), "").expect("it is written");
}

#[test]
#[ignore = "needs redis-server with TLS, and openssl"]
fn a_node_saves_and_reads_over_tls() {
    for tls in [Tls::start("no"), Tls::of_cluster("hostname")] {
        let settings = tls.settings("localhost", "certificate.pem");
        let settings = settings.each_ref().map(|(name, value)| (*name, &value[..]));
        let node = Running::start_with(&[], &settings);
        let saved = node.request("POST", "/").body("over TLS").send();
        assert_eq!(saved.status, 201, "{saved:?}");
        let path = Saved::of(&saved).raw();
        assert_eq!(node.request("GET", &path).send().text(), "over TLS");
        assert_ne!(tls.engine.ask("DBSIZE"), ":0");
    }
}

/// Starts a node that is refused, and returns what it says.
fn refusal(settings: [(&'static str, String); 4]) -> String {
    let node = tidebin(&["--addr", "127.0.0.1:0"])
        .envs(settings)
        .output()
        .expect("it ends");
    let message = String::from_utf8_lossy(&node.stderr).into_owned();
    assert!(!node.status.success(), "{message}");
    message
}

#[test]
#[ignore = "needs redis-server with TLS, and openssl"]
fn a_cluster_that_tells_addresses_is_refused_with_the_way_out() {
    let tls = Tls::of_cluster("ip");
    let message = refusal(tls.settings("localhost", "certificate.pem"));
    assert!(message.contains("cluster-announce-hostname"), "{message}");
}

#[test]
#[ignore = "needs redis-server with TLS, and openssl"]
fn an_address_with_the_wrong_scheme_is_refused_with_the_way_out() {
    let tls = Tls::start("no");
    let mut settings = tls.settings("localhost", "certificate.pem");
    settings[0].1 = format!("redis://localhost:{}", tls.port);
    let message = refusal(settings);
    assert!(message.contains("rediss:// if"), "{message}");
    let port = free_address().port();
    let _plain = Engine::empty(&["--port", &port.to_string()]);
    let mut settings = tls.settings("localhost", "certificate.pem");
    settings[0].1 = format!("rediss://localhost:{port}");
    let message = refusal(settings);
    assert!(message.contains("redis:// if not"), "{message}");
}

#[test]
#[ignore = "needs redis-server with TLS, and openssl"]
fn an_engine_whose_certificate_or_demand_for_one_does_not_fit_is_refused() {
    for (asks, host, trusted, says) in [
        ("no", "localhost", "none.pem", "UnknownIssuer"),
        ("no", "localhost", "missing.pem", "missing.pem"),
        ("no", "127.0.0.1", "certificate.pem", "not valid for name"),
        ("yes", "localhost", "certificate.pem", "CertificateRequired"),
    ] {
        let tls = Tls::start(asks);
        let message = refusal(tls.settings(host, trusted));
        assert!(message.contains(says), "{message}");
        assert!(message.contains("SSL_CERT_FILE"), "{message}");
        assert_eq!(tls.engine.ask("DBSIZE"), ":0");
    }
}
