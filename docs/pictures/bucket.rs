use std::time::{Duration, Instant};

/// Allows `rate` requests per second, and `burst` requests at once.
pub struct TokenBucket {
    rate: f64,
    burst: f64,
    tokens: f64,
    filled: Instant,
}

impl TokenBucket {
    pub fn new(rate: f64, burst: f64, now: Instant) -> Self {
        Self { rate, burst, tokens: burst, filled: now }
    }

    /// Takes one token, or returns how long to wait for the next one.
    pub fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let elapsed = now.duration_since(self.filled).as_secs_f64();
        self.tokens = (self.tokens + elapsed * self.rate).min(self.burst);
        self.filled = now;
        if self.tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - self.tokens) / self.rate));
        }
        self.tokens -= 1.0;
        Ok(())
    }
}
