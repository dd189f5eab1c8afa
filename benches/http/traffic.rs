//! Traffic: the requests to send, as a script of wrk. One request is repeated, or each is a random choice of many.
//!
//! The random choices are made here and written to files. The script reads the files before the measurement and then
//! only steps through the choices. It shares the machine with the servers, so more work per request would distort the
//! figures.

use std::fs;
use std::path::{Path, PathBuf};

use crate::load::Request;
use crate::random::random;

/// The number of random choices. The script starts at any of them and repeats them in a circle.
const DRAWS: u64 = 1 << 18;

/// Requests and the order in which they are sent.
pub(crate) struct Traffic {
    requests: Vec<Request>,
    /// Indices in `requests`.
    order: Vec<usize>,
}

impl Traffic {
    /// Repeats one request.
    pub(crate) fn same(request: Request) -> Self {
        Self {
            requests: vec![request],
            order: vec![0],
        }
    }

    /// Chooses each request with the same probability.
    pub(crate) fn uniform(requests: Vec<Request>) -> Self {
        let count = requests.len() as u64;
        let order = (0..DRAWS).map(|n| place(random(n) % count)).collect();
        Self { requests, order }
    }

    /// Chooses the n-th request with a probability in proportion to 1/n: Zipf's law with s = 1.
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

    /// Replaces this percentage of the choices by another request.
    pub(crate) fn mixed_with(mut self, request: Request, percent: f64) -> Self {
        let place = self.requests.len();
        self.requests.push(request);
        // These random numbers differ from those that made the order.
        for (draw, n) in self.order.iter_mut().zip(DRAWS..) {
            if fraction(n) < percent / 100.0 {
                *draw = place;
            }
        }
        self
    }

    /// Returns one of the requests.
    pub(crate) fn example(&self) -> &Request {
        &self.requests[self.order[0]]
    }

    /// Returns the script that sends the requests. With several requests it reads files, which the next traffic
    /// overwrites.
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

/// Returns the n-th random number. It is at least zero and less than one.
fn fraction(n: u64) -> f64 {
    (random(n) >> 11) as f64 / (1u64 << 53) as f64
}
