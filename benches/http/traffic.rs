//! Traffic: the requests to send, one repeated or a random choice of many, as a script of wrk.
//!
//! The random choice is made here and written to files. The script reads them before the clock starts and then only
//! steps through them: it shares the machine with the servers, so its work per request would take their time.

use std::fs;
use std::path::{Path, PathBuf};

use crate::load::Request;
use crate::random::random;

/// Requests drawn; the script begins anywhere among them and goes round.
const DRAWS: u64 = 1 << 18;

/// Requests and the order in which they are sent.
pub(crate) struct Traffic {
    requests: Vec<Request>,
    /// Places in `requests`.
    order: Vec<usize>,
}

impl Traffic {
    /// This alone.
    pub(crate) fn same(request: Request) -> Self {
        Self {
            requests: vec![request],
            order: vec![0],
        }
    }

    /// Each as often as the others.
    pub(crate) fn uniform(requests: Vec<Request>) -> Self {
        let count = requests.len() as u64;
        let order = (0..DRAWS).map(|n| place(random(n) % count)).collect();
        Self { requests, order }
    }

    /// The n-th in proportion to 1/n: Zipf's law with s = 1.
    pub(crate) fn zipf(requests: Vec<Request>) -> Self {
        let mut sum = 0.0;
        let sums: Vec<f64> = (1..=requests.len())
            .map(|rank| {
                sum += 1.0 / rank as f64;
                sum
            })
            .collect();
        let draw = |n| {
            let drawn = fraction(n) * sum;
            sums.partition_point(|&sum| sum <= drawn)
                .min(sums.len() - 1)
        };
        let order = (0..DRAWS).map(draw).collect();
        Self { requests, order }
    }

    /// With this in place of so many of a hundred requests.
    pub(crate) fn mixed_with(mut self, request: Request, percent: f64) -> Self {
        let place = self.requests.len();
        self.requests.push(request);
        // Draws of their own, beyond those that the order is made of.
        for (draw, n) in self.order.iter_mut().zip(DRAWS..) {
            if fraction(n) < percent / 100.0 {
                *draw = place;
            }
        }
        self
    }

    /// One of them.
    pub(crate) fn example(&self) -> &Request {
        &self.requests[self.order[0]]
    }

    /// The script that sends them; of many it reads files, which the next traffic overwrites.
    pub(crate) fn script(&self) -> String {
        if let [only] = &self.requests[..] {
            return only.to_lua();
        }
        let texts: Vec<Vec<u8>> = self.requests.iter().map(Request::to_http).collect();
        let order: Vec<String> = self
            .order
            .iter()
            .map(|place| (place + 1).to_string())
            .collect();
        let requests = file("http-requests", &texts.join(&0));
        let order = file("http-order", order.join("\n").as_bytes());
        format!(
            "
local requests, order = {{}}, {{}}
local count, at
function init()
  for text in io.open({requests:?}, 'rb'):read('*a'):gmatch('[^%z]+') do requests[#requests + 1] = text end
  for place in io.lines({order:?}) do order[#order + 1] = requests[tonumber(place)] end
  count = #order
  at = os.time() * 7919 % count
end
function request()
  at = at % count + 1
  return order[at]
end
"
        )
    }
}

fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path
}

fn place(n: u64) -> usize {
    usize::try_from(n).unwrap()
}

/// From zero on and less than one.
fn fraction(n: u64) -> f64 {
    (random(n) >> 11) as f64 / (1u64 << 53) as f64
}
