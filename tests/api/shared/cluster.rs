//! A Cluster of three servers: a server that is killed, and slots that move while nodes save and read.

use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tidebin::clock::Clock;

use crate::client::{PATIENCE, until, wait_for};
use crate::engine::launch;
use crate::folder::Folder;
use crate::free_port::free_address;
use crate::server::{Place, Saved, TestServer};

const SERVERS: usize = 3;

/// Three servers, each with a third of the slots. They are ended by their process ids when dropped.
struct Cluster {
    servers: Vec<(u16, Child)>,
    folder: Folder,
    /// After this time without an answer, the other servers replace one.
    failover: Duration,
}

impl Cluster {
    /// Starts servers that are not replaced while the machine is busy.
    fn start() -> Self {
        Self::with_failover(PATIENCE / 5)
    }

    /// Starts servers that are replaced after this time without an answer.
    fn with_failover(failover: Duration) -> Self {
        let folder = Folder::new("cluster");
        let ports: Vec<_> = (0..SERVERS).map(|_| free_address().port()).collect();
        let launched = ports
            .into_iter()
            .map(|port| (port, launch_on_port(&folder, port)));
        let servers = launched.collect();
        let cluster = Self {
            servers,
            folder,
            failover,
        };
        for (port, _) in &cluster.servers {
            until(|| cluster.cli(*port, &["ping"]) == "PONG");
        }
        for (number, (port, _)) in cluster.servers.iter().enumerate() {
            let (first, end) = (first_slot(number), first_slot(number + 1) - 1);
            let [first, end, epoch] = [first, end, number + 1].map(|it| it.to_string());
            cluster.cli(*port, &["cluster", "addslotsrange", &first, &end]);
            cluster.cli(*port, &["cluster", "set-config-epoch", &epoch]);
            let bus = cluster.cli(*port, &["config", "get", "cluster-port"]);
            let bus = bus.lines().last().expect("a port");
            let meet = ["cluster", "meet", "127.0.0.1", &port.to_string(), bus];
            cluster.cli(cluster.servers[0].0, &meet);
        }
        cluster.until_healthy();
        cluster
    }

    /// The address of the Cluster, as `TIDEBIN_VALKEY` takes it.
    fn url(&self) -> String {
        let url = |(port, _): &(u16, Child)| format!("redis://127.0.0.1:{port}");
        self.servers.iter().map(url).collect::<Vec<_>>().join(",")
    }

    fn node(&self) -> TestServer {
        TestServer::at(Place::Cluster(self.url()), &Clock::manual(), &[])
    }

    fn cli(&self, port: u16, args: &[&str]) -> String {
        let run = |program: &str| {
            Command::new(program)
                .args(["-h", "127.0.0.1", "-p", &port.to_string()])
                .args(args)
                .output()
        };
        let output = run("valkey-cli").or_else(|_| run("redis-cli"));
        let output = output.expect("valkey-cli or redis-cli is installed");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Adds a replica of a server, and waits until it has all of its pastes.
    fn add_replica_of(&mut self, primary: usize) {
        let port = free_address().port();
        let server = launch_on_port(&self.folder, port);
        self.servers.push((port, server));
        until(|| self.cli(port, &["ping"]) == "PONG");
        let [new, known] = [port, self.servers[0].0].map(|port| format!("127.0.0.1:{port}"));
        let add = ["--cluster", "add-node", &new, &known, "--cluster-slave"];
        let id = self.id(primary);
        let of = ["--cluster-master-id", &id];
        self.cli(port, &[&add[..], &of].concat());
        self.until_healthy();
        let info = |port: u16| self.cli(port, &["info", "replication"]);
        until(|| info(port).contains("master_link_status:up"));
        let offset = |port: u16| {
            let info = info(port);
            let mut lines = info.lines();
            let offset = lines.find_map(|it| it.strip_prefix("master_repl_offset:"));
            offset.and_then(|it| it.trim().parse::<u64>().ok())
        };
        let of_primary = offset(self.servers[primary].0);
        until(|| offset(port) >= of_primary);
    }

    /// Waits until all servers agree that all slots are served. From then on, they wait for each other as long as they
    /// should.
    fn until_healthy(&self) {
        let known = format!("cluster_known_nodes:{}", self.servers.len());
        for (port, _) in &self.servers {
            let info = || self.cli(*port, &["cluster", "info"]);
            until(|| {
                let info = info();
                info.contains("cluster_state:ok") && info.contains(&known)
            });
        }
        let failover = self.failover.as_millis().to_string();
        for (port, _) in &self.servers {
            self.cli(*port, &["config", "set", "cluster-node-timeout", &failover]);
        }
    }

    /// Moves all slots with keys of a server to another one, a few keys at a time.
    fn move_slots(&self, from: usize, to: usize) {
        let [mut source, mut target] = [from, to].map(|server| {
            let url = format!("redis://127.0.0.1:{}", self.servers[server].0);
            let client = redis::Client::open(url).expect("an address");
            client.get_connection().expect("it listens")
        });
        let [from_id, to_id] = [from, to].map(|server| self.id(server));
        for slot in first_slot(from)..first_slot(from + 1) {
            let mut count = cluster("COUNTKEYSINSLOT");
            if count
                .arg(slot)
                .query::<usize>(&mut source)
                .expect("a count")
                == 0
            {
                continue;
            }
            let set =
                |state: &str, id: &str| cluster("SETSLOT").arg(slot).arg(state).arg(id).clone();
            set("IMPORTING", &from_id).exec(&mut target).expect("set");
            set("MIGRATING", &to_id).exec(&mut source).expect("set");
            loop {
                let mut keys = cluster("GETKEYSINSLOT");
                let keys = keys.arg(slot).arg(20).query::<Vec<Vec<u8>>>(&mut source);
                let keys = keys.expect("keys");
                if keys.is_empty() {
                    break;
                }
                let mut migrate = redis::cmd("MIGRATE");
                migrate.arg("127.0.0.1").arg(self.servers[to].0).arg("");
                migrate.arg(0).arg(60_000).arg("KEYS").arg(keys);
                migrate.exec(&mut source).expect("they move");
            }
            for server in [&mut target, &mut source] {
                set("NODE", &to_id).exec(server).expect("set");
            }
        }
    }

    /// The id of a server.
    fn id(&self, server: usize) -> String {
        self.cli(self.servers[server].0, &["cluster", "myid"])
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for (_, server) in &mut self.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

fn cluster(subcommand: &str) -> redis::Cmd {
    redis::cmd("CLUSTER").arg(subcommand).clone()
}

/// The first slot of a server.
fn first_slot(server: usize) -> usize {
    server * 16384 / SERVERS
}

/// Starts a server. It serves its slots only after the time that is set here.
fn launch_on_port(folder: &Folder, port: u16) -> Child {
    let cluster_port = free_address().port().to_string();
    let options = [
        ["--bind", "127.0.0.1"],
        ["--port", &port.to_string()],
        ["--cluster-port", &cluster_port],
        ["--cluster-enabled", "yes"],
        ["--cluster-node-timeout", "1000"],
        ["--cluster-config-file", &format!("nodes-{port}")],
        // A finished write survives the end of the process. With `everysec`, a slow disk delays it beyond the reply.
        ["--appendonly", "yes"],
        ["--appendfsync", "no"],
        ["--appenddirname", &format!("log-{port}")],
    ];
    launch(folder, options.as_flattened())
}

/// Saves a paste. Returns `None` if it is refused for the moment.
fn save(node: &TestServer) -> Option<Saved> {
    let answer = node.request("POST", "/").body("kept").send();
    match answer.status {
        201 => Some(Saved::of(&answer)),
        503 => None,
        _ => panic!("{answer:?}"),
    }
}

#[track_caller]
fn until_saved(node: &TestServer) -> Saved {
    wait_for(|| save(node).ok_or("refused"))
}

/// Reads a paste as soon as that is not refused.
#[track_caller]
fn until_read(node: &TestServer, paste: &Saved) {
    let read = wait_for(|| match node.get(&paste.raw()) {
        read if read.status == 503 => Err(read),
        read => Ok(read),
    });
    assert_eq!(read.text(), "kept");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn nodes_of_a_cluster_agree_and_slots_that_move_lose_no_paste() {
    let cluster = Cluster::start();
    let nodes = [cluster.node(), cluster.node()];
    let is_over = AtomicBool::new(false);
    // Given savers and readers on two nodes
    let saved: Vec<Saved> = thread::scope(|scope| {
        let work = |node: usize| {
            let (nodes, is_over) = (&nodes, &is_over);
            move || {
                let mut saved = Vec::new();
                while !is_over.load(Ordering::SeqCst) {
                    let Some(paste) = save(&nodes[node]) else {
                        continue;
                    };
                    let read = nodes[1 - node].get(&paste.raw());
                    assert!(matches!(read.status, 200 | 503), "{read:?}");
                    saved.push(paste);
                }
                saved
            }
        };
        let savers = [scope.spawn(work(0)), scope.spawn(work(1))];
        // When a third of the slots moves to another server meanwhile
        cluster.move_slots(0, 1);
        is_over.store(true, Ordering::SeqCst);
        savers
            .into_iter()
            .flat_map(|saver| saver.join().unwrap())
            .collect()
    });
    cluster.until_healthy();
    // Then every node has every paste, as soon as it knows the slots
    assert!(!saved.is_empty());
    for paste in &saved {
        for node in &nodes {
            until_read(node, paste);
        }
    }
    nodes[0].store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_view_is_shown_once_while_its_slot_moves() {
    const PASTES: usize = 300;
    let cluster = Cluster::start();
    let node = cluster.node();
    let saved: Vec<_> = (0..PASTES)
        .map(|number| {
            let path = ["/?burn=1", "/?burn=2"][number % 2];
            let saved = node.request("POST", path).body("secret").send();
            Saved::of(&saved)
        })
        .collect();
    // When all pastes are viewed while they move
    let shown: usize = thread::scope(|scope| {
        let mover = scope.spawn(|| cluster.move_slots(2, 0));
        let view = |paste: &Saved| {
            let answer = node.request("POST", &paste.path).send();
            assert!(matches!(answer.status, 200 | 410 | 503), "{answer:?}");
            usize::from(answer.status == 200)
        };
        let shown = saved.iter().map(|paste| view(paste) + view(paste)).sum();
        mover.join().unwrap();
        shown
    });
    cluster.until_healthy();
    let left: usize = saved
        .iter()
        .map(|paste| {
            let view = || node.request("POST", &paste.path).send().status == 200;
            (0..3).filter(|_| view()).count()
        })
        .sum();
    // Then none was shown too often, and none was lost, since every refused one was not carried out
    assert_eq!(shown + left, PASTES / 2 * 3);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_server_of_a_cluster_that_is_killed_and_returns_lost_no_acknowledged_paste() {
    let mut cluster = Cluster::start();
    let node = cluster.node();
    let mut saved: Vec<_> = (0..100)
        .map(|_| save(&node).expect("it is saved"))
        .collect();
    let (port, server) = &mut cluster.servers[2];
    let _ = server.kill();
    let _ = server.wait();
    // While a third of the slots is away, requests that need them are refused and no others
    let refused = saved
        .iter()
        .filter(|paste| match node.get(&paste.raw()).status {
            200 => false,
            503 => true,
            other => panic!("{other}"),
        });
    assert!(refused.count() > 0);
    // When the server returns
    *server = launch_on_port(&cluster.folder, *port);
    cluster.until_healthy();
    saved.extend((0..100).map(|_| until_saved(&node)));
    for paste in &saved {
        assert_eq!(node.get(&paste.raw()).text(), "kept");
    }
    node.store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_replica_that_takes_over_from_a_killed_or_silent_primary_has_its_pastes() {
    thread::scope(|scope| {
        for end in [Signal::KILL, Signal::STOP] {
            scope.spawn(move || replica_takes_over(end));
        }
    });
}

/// Ends the primary by this signal.
fn replica_takes_over(end: Signal) {
    let mut cluster = Cluster::with_failover(Duration::from_secs(2));
    // Shorter than the failover, because readers wait this long for a silent server.
    let (place, deadline) = (Place::Cluster(cluster.url()), Duration::from_secs(1));
    let node = TestServer::hasty(place, &Clock::manual(), deadline);
    let mut saved: Vec<_> = (0..100).map(|_| until_saved(&node)).collect();
    cluster.add_replica_of(2);
    // When its primary ends, or stops where it is and keeps its connections
    let primary = i32::try_from(cluster.servers[2].1.id()).expect("a process id");
    kill_process(Pid::from_raw(primary).expect("a process id"), end).expect("it runs");
    let replica = cluster.servers[SERVERS].0;
    until(|| {
        cluster
            .cli(replica, &["info", "replication"])
            .contains("role:master")
    });
    // Then the node finds it, and goes on
    saved.extend((0..100).map(|_| until_saved(&node)));
    for paste in &saved {
        until_read(&node, paste);
    }
    node.store.validate();
}
