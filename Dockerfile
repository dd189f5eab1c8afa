# syntax=docker/dockerfile:1
# Two stages: the toolchain builds, the image holds the binary and the C library alone. No shell, not root.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build

# The dependencies first, with an empty program: this layer is built anew only when they change. The benches that the
# manifest names are not here.
COPY Cargo.toml Cargo.lock ./
RUN sed -i '/^\[\[bench\]\]/,/^$/d' Cargo.toml \
 && mkdir src \
 && echo 'fn main() {}' | tee src/main.rs > src/lib.rs \
 && cargo build --release --locked --bin tidebin

COPY src src
# The empty program is younger than the sources as they were checked out.
RUN find src -name '*.rs' -exec touch {} + && cargo build --release --locked --bin tidebin

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /build/target/release/tidebin /usr/local/bin/tidebin
ENV TIDEBIN_ADDR=0.0.0.0:8088
EXPOSE 8088
# Asks the server itself: there is no shell and no curl here.
HEALTHCHECK --interval=30s --timeout=3s --start-period=2s --retries=3 CMD ["/usr/local/bin/tidebin", "healthcheck"]
# SIGTERM, which is what `docker stop` sends, lets requests in flight finish.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/tidebin"]
