//! Strangers that take what a server has room for.

use std::sync::Arc;
use std::time::Duration;

use tidebin::fairness::ClientKey;
use tidebin::overload::{ConnectionSlot, Priority, Transfer, Turn, TurnQueue};

use crate::server::TestServer;

/// A message that a test holds, and its connection.
pub type Stranger = (Transfer, ConnectionSlot);

impl TestServer {
    /// Takes all turns, as many strangers would, until they are dropped.
    pub fn take_all(&self, turns: &Arc<TurnQueue>) -> Vec<Turn> {
        let strangers = (0..).map(|key| ClientKey {
            network: key,
            client: key,
        });
        strangers
            .map_while(|it| {
                turns
                    .enter(self.clock.elapsed(), it, Duration::ZERO)
                    .try_recv()
                    .ok()
            })
            .collect()
    }

    /// Takes the bytes that messages of this priority may still hold, in pieces of this size, as many strangers would
    /// that are not slow, until they are dropped.
    pub fn take_bytes(&self, priority: Priority, piece: usize) -> Vec<Stranger> {
        std::iter::from_fn(|| Some(self.stranger(priority)))
            .take_while(|(transfer, _)| transfer.try_hold(self.clock.elapsed(), piece))
            .collect()
    }

    /// A message of a client that no other test has, on a connection of its own.
    pub fn stranger(&self, priority: Priority) -> Stranger {
        let now = self.clock.elapsed();
        let slot = self.overload.connect(now, None);
        let key = u64::MAX - self.overload.connections().admitted;
        let client = ClientKey {
            network: key,
            client: key,
        };
        let transfers = &self.overload;
        let transfer = transfers.start_transfer(&slot.handle, now, client, priority);
        let mut transfer = transfer.expect("a stranger has nothing yet");
        transfer.record_progress(now, 1 << 40);
        (transfer, slot)
    }
}
