# syntax=docker/dockerfile:1
# Two stages: the first builds the program. The image contains only the program and the C library. It has no shell and
# does not run as root.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build

# The dependencies are built first, with an empty program, so this layer is rebuilt only when they change. The benches
# are not copied, so they are removed from the manifest.
COPY .cargo .cargo
COPY Cargo.toml Cargo.lock ./
RUN sed -i '/^\[\[bench\]\]/,/^$/d' Cargo.toml \
 && mkdir src \
 && echo 'fn main() {}' | tee src/main.rs > src/lib.rs \
 && cargo build --release --locked --bin tidebin

COPY src src
COPY docs/pb.sh docs/pb.sh
# cargo compares times, and the empty program is newer than the copied sources.
RUN find src -name '*.rs' -exec touch {} + && cargo build --release --locked --bin tidebin

# A new volume that is mounted at /var/lib/tidebin gets the owner and the mode of this directory.
RUN mkdir -p /data/tidebin && chmod 700 /data/tidebin

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /build/target/release/tidebin /usr/local/bin/tidebin
COPY --from=build --chown=65532:65532 /data/ /var/lib/
# Name a volume for the directory. One that VOLUME made would be removed by `docker run --rm`, with the pastes.
ENV TIDEBIN_ADDR=0.0.0.0:8088 TIDEBIN_DATA=/var/lib/tidebin
EXPOSE 8088
# The program checks the server itself, because the image has no shell and no curl.
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 CMD ["/usr/local/bin/tidebin", "healthcheck"]
# At SIGTERM, the server finishes the requests in flight and closes the database. `docker stop` sends it.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/tidebin"]
