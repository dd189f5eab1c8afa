//! The Prometheus text format, version 0.0.4: families of samples, each with its help and its type.
//!
//! The crate `prometheus-client` writes only the later format OpenMetrics, which `promtool check metrics` refuses.
//! Invariant: names, help and labels come from the program. None has a quote, a backslash or a line break, which the
//! format would have to escape.

use std::fmt::{Display, Write};

use super::histogram::{Durations, Histogram};

/// The media type of the format.
pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A label: its name and its value.
pub(super) type Label<'a> = (&'a str, &'a str);

/// The kind of the samples of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It only grows, until the server restarts.
    Counter,
    /// It grows and shrinks.
    Gauge,
    /// It counts durations by their length.
    Histogram,
}

/// A text in this format.
#[derive(Debug, Default)]
pub(super) struct Exposition {
    pub(super) text: String,
}

/// One family, to which samples are added.
pub(super) struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl Exposition {
    /// Begins a family.
    pub(super) fn family(&mut self, name: &'static str, kind: Kind, help: &str) -> Family<'_> {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let text = &mut self.text;
        line(text, format_args!("# HELP {name} {help}"));
        line(text, format_args!("# TYPE {name} {kind}"));
        Family { text, name }
    }

    /// Writes a counter without labels.
    pub(super) fn counter(&mut self, name: &'static str, help: &str, value: impl Display) {
        self.family(name, Kind::Counter, help).sample(&[], value);
    }

    /// Writes a gauge without labels.
    pub(super) fn gauge(&mut self, name: &'static str, help: &str, value: impl Display) {
        self.family(name, Kind::Gauge, help).sample(&[], value);
    }
}

impl Family<'_> {
    /// Adds a sample.
    pub(super) fn sample(&mut self, labels: &[Label<'_>], value: impl Display) {
        self.part("", labels, None, value);
    }

    /// Adds the samples of a histogram.
    pub(super) fn histogram(&mut self, labels: &[Label<'_>], durations: &Durations) {
        let bounds = Histogram::BOUNDS.map(|bound| bound.as_secs_f64().to_string());
        let bounds = bounds.iter().map(String::as_str).chain(["+Inf"]);
        let mut count = 0;
        for (bound, more) in bounds.zip(durations.counts) {
            count += more;
            self.part("_bucket", labels, Some(("le", bound)), count);
        }
        self.part("_sum", labels, None, durations.total.as_secs_f64());
        self.part("_count", labels, None, count);
    }

    fn part(
        &mut self,
        suffix: &str,
        labels: &[Label<'_>],
        last: Option<Label<'_>>,
        value: impl Display,
    ) {
        let mut all = String::new();
        for (name, value) in labels.iter().copied().chain(last) {
            let comma = if all.is_empty() { "{" } else { "," };
            all.extend([comma, name, "=\"", value, "\""]);
        }
        if !all.is_empty() {
            all.push('}');
        }
        line(
            self.text,
            format_args!("{}{suffix}{all} {value}", self.name),
        );
    }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_family_has_its_help_its_type_and_its_samples() {
        let mut out = Exposition::default();
        out.gauge("a_bytes", "Bytes of a.", 3);
        let mut family = out.family("b_total", Kind::Counter, "Number of b.");
        family.sample(&[("x", "1"), ("y", "2")], 4);
        assert_eq!(
            out.text,
            "# HELP a_bytes Bytes of a.\n# TYPE a_bytes gauge\na_bytes 3\n\
             # HELP b_total Number of b.\n# TYPE b_total counter\nb_total{x=\"1\",y=\"2\"} 4\n"
        );
    }

    #[test]
    fn the_buckets_of_a_histogram_are_cumulative() {
        let histogram = Histogram::default();
        for millis in [1, 1, 7, 9000] {
            histogram.count(Duration::from_millis(millis));
        }
        let mut out = Exposition::default();
        let mut family = out.family("t_seconds", Kind::Histogram, "Time.");
        family.histogram(&[("x", "y")], &histogram.durations());
        let text = out.text;
        for line in [
            "t_seconds_bucket{x=\"y\",le=\"0.0001\"} 0",
            "t_seconds_bucket{x=\"y\",le=\"0.001\"} 2",
            "t_seconds_bucket{x=\"y\",le=\"0.01\"} 3",
            "t_seconds_bucket{x=\"y\",le=\"5\"} 3",
            "t_seconds_bucket{x=\"y\",le=\"+Inf\"} 4",
            "t_seconds_sum{x=\"y\"} 9.009",
            "t_seconds_count{x=\"y\"} 4",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
    }
}
