//! The state that all workers share.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::RequestHead;
use actix_web::http::header::HeaderValue;

use crate::app::{KeyMemoryPool, UseCases};
use crate::clock::{Clock, processor_time_of_process};
use crate::config::{BaseUrl, Cors, DataDir};
use crate::http::error::ApiError;
use crate::http::request::{Accounts, ClientResolver, Request};
use crate::limit::{Limiter, SharedLimits};
use crate::log::Incident;
use crate::operate::{
    Counters, Histogram, History, Process, RequestCounters, Totals, resident_bytes, totals,
};
use crate::overload::{Overload, Priority};
use crate::page::{PageCache, Site};
use crate::paste::Timestamp;
use crate::store::sqlite::last_backup;

/// The longest wait of a request for memory, a slot, a turn or a permit. An early error is better than late responses to
/// all clients.
pub(crate) const MAX_WAIT: Duration = Duration::from_millis(500);

/// A worker's reference to the state, which its requests share. All workers would write to one counter of references
/// otherwise.
pub(crate) type WorkerState = Rc<Arc<AppState>>;

/// The URL of the server that a trusted proxy reports, and the server as its pages show it below that.
pub(crate) type ReportedServer = (BaseUrl, Arc<Site>);

/// The shared state; there is one for each server.
pub(crate) struct AppState {
    pub(crate) app: UseCases,
    pub(crate) clock: Clock,
    /// The origins whose pages may use the server.
    pub(crate) cors: Option<Cors>,
    /// The data directory, if there is one.
    pub(crate) data: Option<DataDir>,
    /// The operator's public address, if configured.
    pub(crate) public: Option<BaseUrl>,
    /// The address that the server listens on, or `localhost` if that is a Unix socket.
    pub(crate) local: String,
    pub(crate) clients: ClientResolver,
    pub(crate) accounts: Accounts,
    /// Counts answered requests.
    pub(crate) requests: RequestCounters,
    pub(crate) site: Arc<Site>,
    pub(crate) limiter: Arc<Limiter>,
    /// The limits of saves on all nodes together, if several nodes share an engine.
    pub(crate) shared_limits: Option<SharedLimits>,
    /// The header with the rules for saves, for a client without a multiplier; `None` without rules.
    pub(crate) save_policies: Option<HeaderValue>,
    /// Logs when clients start and stop exceeding their limits.
    pub(crate) limiting: Incident,
    /// Logs when the server starts and stops rejecting requests because of overload.
    pub(crate) shedding: Incident,
    /// The counts of the last hour and day.
    pub(crate) history: History,
    /// Recently made pages of pastes.
    pub(crate) pages: Arc<PageCache>,
    /// The processor time of rendered pages.
    pub(crate) renders: Histogram,
    pub(crate) overload: Arc<Overload>,
    pub(crate) key_memories: Arc<KeyMemoryPool>,
}

impl AppState {
    /// Returns the current values of all counters. It takes a few locks, one after the other, each while some integers
    /// are copied, and reads a small file of the system.
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            requests: self.requests.counts(),
            refused_saves: self.requests.refused_saves(),
            activity: self.app.totals.activity(),
            store: self.app.store.stats(self.now()),
            last_backup: self.last_backup(),
            limits: self.limiter.stats(),
            load: self.overload.load(),
            connections: self.overload.connections(),
            renders: self.renders.durations(),
            pages: self.pages.stats(),
            process: Process {
                started: self.clock.start(),
                processor_time: processor_time_of_process(),
                resident_bytes: resident_bytes(),
            },
        }
    }

    /// When the last backup was completed, if there is a data directory: 1970 without one.
    pub(crate) fn last_backup(&self) -> Option<Timestamp> {
        self.data.as_ref().map(|data| last_backup(data.path()))
    }

    /// The current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.timestamp()
    }

    /// The counts since the start, for the history.
    pub(crate) fn totals(&self) -> Totals {
        totals(&self.requests.counts(), self.app.totals.activity())
    }

    /// The server as a trusted proxy reports it, if the operator named no public URL.
    pub(crate) fn reported(&self, head: &RequestHead) -> Option<Box<ReportedServer>> {
        if self.public.is_some() {
            return None;
        }
        let url = self.clients.reported_url(head, &self.local)?;
        let mut site = Arc::clone(&self.site);
        if !url.path().is_empty() {
            url.path()
                .clone_into(&mut Arc::make_mut(&mut site).base_path);
        }
        Some(Box::new((url, site)))
    }

    /// The server as its pages show it, and its public URL if that is known.
    pub(crate) fn shown<'a>(
        &'a self,
        reported: Option<&'a ReportedServer>,
    ) -> (&'a Arc<Site>, Option<&'a BaseUrl>) {
        match reported {
            Some((url, site)) => (site, Some(url)),
            None => (&self.site, self.public.as_ref()),
        }
    }

    /// The URL of the server, without a slash at its end.
    pub(crate) fn base_url<'a>(&self, request: &Request<'a>) -> Result<Cow<'a, str>, ApiError>
    where
        Self: 'a,
    {
        match request.public {
            Some(url) => Ok(Cow::Borrowed(url.as_str())),
            None => Ok(["http://", request.host(&self.local)?].concat().into()),
        }
    }

    /// Counts a request that is refused because the server is busy, and returns its error.
    pub(crate) fn shed(&self, priority: Priority) -> ApiError {
        self.overload.count_shed(priority);
        if self.shedding.record(self.clock.elapsed()) {
            tracing::warn!(class = ?priority, "overload started: refusing requests, or showing pages plain");
        }
        ApiError::Overloaded
    }

    /// Counts earlier events for the history, and logs each incident that has ended. Every request calls this at its
    /// start.
    pub(crate) fn look_back(&self, now: Duration) {
        self.history
            .observe(self.clock.timestamp_at(now), || self.totals());
        for (incident, what) in [
            (&self.limiting, "rate limiting"),
            (&self.shedding, "overload"),
        ] {
            if let Some(over) = incident.poll_end(now) {
                let seconds = over.lasted().as_secs();
                tracing::info!(refused = over.times, seconds, "{what} ended");
            }
        }
    }
}
