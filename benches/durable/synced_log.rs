//! The least that a durable save can cost: a thread appends all queued saves to a file and syncs once.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

/// Maximum number of records in a batch, as in the store.
const MOST: usize = 4096;

/// A thread that writes records in batches. It ends when this is dropped.
pub(crate) struct Batches {
    queue: Option<Sender<(Vec<u8>, oneshot::Sender<()>)>>,
    thread: Option<JoinHandle<()>>,
}

impl Batches {
    /// Starts the thread. `write` must sync the records.
    pub(crate) fn start(mut write: impl FnMut(&[Vec<u8>]) + Send + 'static) -> Self {
        let (queue, receiver) = channel::<(Vec<u8>, oneshot::Sender<()>)>();
        let thread = thread::spawn(move || {
            while let Ok(first) = receiver.recv() {
                let batch = std::iter::once(first).chain(receiver.try_iter());
                let (records, replies): (Vec<_>, Vec<_>) = batch.take(MOST).unzip();
                write(&records);
                for reply in replies {
                    let _ = reply.send(());
                }
            }
        });
        Self {
            queue: Some(queue),
            thread: Some(thread),
        }
    }

    /// Queues a record and waits until it is synced.
    pub(crate) async fn save(&self, record: Vec<u8>) {
        let (reply, synced) = oneshot::channel();
        self.queue.as_ref().unwrap().send((record, reply)).unwrap();
        synced.await.unwrap();
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        drop(self.queue.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Starts a log in this directory.
pub(crate) fn start(directory: &Path) -> Batches {
    let mut file = File::create(directory.join("log")).unwrap();
    Batches::start(move |records| {
        file.write_all(&records.concat()).unwrap();
        file.sync_data().unwrap();
    })
}
