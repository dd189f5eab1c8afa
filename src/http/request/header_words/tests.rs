//! Tests of the rule for headers that ask for less: what it refuses, and what real programs send.

use super::asks_for_less;
use crate::http::connection::blank_unused;
use crate::http::request::save_option::SaveOption;

/// Headers of other pastebins and file hosts, and what a user would guess.
const ASKING: &str = "burn x-burn-after burning x-self-destruct x-destroy x-delete-at delete-after deletion
    x-passphrase password x-passwd encrypt-password linx-expiry x-expire-in x-expiration-days x-ttl paste_ttl x-life
    x-lifetime x-retention ephemeral x-days x-minutes x-hours x-keep-days x-max-views max_reads x-read-once once view
    x-view-limit x-downloads x-one-time one_time x-onetime max-age x-max-age x-valid-for x-valid-until x-keep x-keep-for
    x-lock x-protect x-protected x-pin pin x-paste-pin x-private private x-paste-private x-visibility x-unlisted
    x-access-key linx-access-key access_key x-auth-key x-auth-secret x-secret secret x-secret-key x-encryption-key
    x-encrypted x-paste-key x-key
    time-to-live x-pass x-pwd x-pass-phrase x-download-limit x-max-download x-single-view burnafterreading x-encryption
    x-access-code x-pin-code x-private-note x-is-private x-secret-note x-locked x-duration expires
    x-expires-in-ms x-ttl-ms x-lifetime-ms x-burn-control x-delete-control x-expire-offset x-delete-token";

/// The headers of programs, a line for each.
const PROGRAMS: &str = "RFCs: accept-charset accept-language access-control-request-headers alt-used authorization cf-ipcountry cf-visitor
RFCs: client-ip cloudfront-forwarded-proto content-disposition content-language content-md5 content-range content-type
RFCs: cookie date device-memory early-data etag expect-ct forwarded from host http2-settings if-match
RFCs: if-modified-since if-none-match if-range if-unmodified-since last-modified link mime-version oneshot
RFCs: proxy-authorization proxy-connection purpose referer sec-ch-prefers-color-scheme sec-ch-ua-mobile
RFCs: sec-ch-ua-platform sec-ch-viewport-width sec-fetch-storage-access sec-purpose service-worker trailer
RFCs: transfer-encoding upgrade viewport-width want-digest
Others: x-client-ip x-forwarded-port x-http-method-override x-original-url x-powered-by x-thread-id x-token x-trace
HTTP: age cache-control content-location keep-alive range te ttl topic urgency warning
Firefox: dnt priority sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc upgrade-insecure-requests
Chrome: available-dictionary dictionary-id downlink ect rtt save-data sec-ch-ua sec-private-state-token x-client-data
Chrome, local servers: access-control-request-local-network access-control-request-private-network
Safari: priority sec-fetch-dest x-purpose
Internet Explorer: pragma ua-cpu x-ua-compatible
Samsung Internet: x-requested-with x-wap-profile
Opera Mini: x-operamini-features x-operamini-phone x-operamini-phone-ua x-operamini-route
WebSocket: sec-websocket-extensions sec-websocket-key sec-websocket-protocol sec-websocket-version
curl: accept expect user-agent
wget: accept-encoding connection
HTTPie: connection content-length
Postman: cache-control postman-token
Go: accept-encoding user-agent
Git: content-encoding git-protocol
WebDAV: depth destination if lock-token overwrite timeout
Windows WebDAV: ms-author-via translate x-msdavext
Nextcloud: oc-checksum oc-chunked oc-total-length ocs-apirequest x-nc-webdav-autorename x-oc-mtime
rclone: oc-checksum x-oc-mtime
tus: tus-resumable upload-concat upload-defer-length upload-length upload-metadata upload-offset
S3 clients: amz-sdk-invocation-id amz-sdk-request x-amz-content-sha256 x-amz-date x-amz-security-token x-amz-user-agent
S3 clients: x-amz-expires x-amz-server-side-encryption
Apple: apns-expiration apns-priority
Google clients: x-goog-encryption-algorithm x-goog-api-client x-goog-api-key x-goog-request-params x-goog-user-project
OpenAI: idempotency-key openai-organization x-stainless-arch x-stainless-read-timeout x-stainless-retry-count
Anthropic: anthropic-beta anthropic-dangerous-direct-browser-access anthropic-version x-api-key x-stainless-lang
OpenRouter: http-referer x-title
Model Context Protocol: last-event-id mcp-protocol-version mcp-session-id
Stripe: idempotency-key stripe-signature stripe-version
GitHub: x-github-api-version x-github-delivery x-github-event x-hub-signature-256
GitLab: private-token x-gitlab-event x-gitlab-event-uuid x-gitlab-instance x-gitlab-token
Gitea: x-gitea-delivery x-gitea-event x-gitea-signature
Telegram: x-telegram-bot-api-secret-token
Slack: x-slack-request-timestamp x-slack-retry-num x-slack-signature
Webhooks: webhook-id webhook-signature webhook-timestamp x-webhook-secret x-webhook-key
Rails, Django, Laravel: x-csrf-token x-csrftoken x-xsrf-token
htmx: hx-boosted hx-current-url hx-request hx-target hx-trigger
Next.js: next-action next-router-prefetch next-router-state-tree rsc
OData: odata-maxversion odata-version prefer
SOAP: soapaction
gRPC-Web: grpc-timeout x-grpc-web x-user-agent
OpenTelemetry: baggage traceparent tracestate
Zipkin: b3 x-b3-flags x-b3-parentspanid x-b3-sampled x-b3-spanid x-b3-traceid
Jaeger: jaeger-debug-id uber-trace-id uberctx-key
Datadog: x-datadog-origin x-datadog-parent-id x-datadog-sampling-priority x-datadog-tags x-datadog-trace-id
Sentry: sentry-trace
New Relic: newrelic x-newrelic-id x-newrelic-transaction
Elastic: elastic-apm-traceparent
nginx: x-accel-expires x-forwarded-for x-original-uri x-real-ip x-ssl-cert x-ssl-client-verify
ingress-nginx: x-auth-request-redirect x-forwarded-scheme x-original-forwarded-for x-request-id x-scheme
Apache: max-forwards x-forwarded-host x-forwarded-server
Caddy: via x-forwarded-proto
Traefik: x-forwarded-prefix x-forwarded-server x-forwarded-tls-client-cert x-forwarded-tls-client-cert-info
HAProxy: x-ssl x-ssl-client-dn x-ssl-client-notafter x-ssl-client-notbefore
Envoy, Istio: x-envoy-attempt-count x-envoy-expected-rq-timeout-ms x-envoy-external-address x-forwarded-client-cert
Varnish: surrogate-capability x-varnish
Squid: x-cache x-cache-lookup
Kong: kong-debug x-consumer-id x-consumer-username x-credential-identifier x-kong-request-id
Passenger: x-passenger-connect-password x-passenger-status
oauth2-proxy: x-auth-request-access-token x-auth-request-email x-auth-request-groups x-forwarded-access-token
Authelia, Authentik: remote-email remote-groups remote-user x-authentik-jwt x-authentik-meta-app x-authentik-uid
Cloudflare: cdn-loop cf-access-client-id cf-access-client-secret cf-access-jwt-assertion cf-connecting-ip cf-ray
CloudFront: cloudfront-is-mobile-viewer cloudfront-viewer-country cloudfront-viewer-tls x-amz-cf-id
Fastly: fastly-client-ip fastly-ff fastly-ssl fastly-temp-xff x-fastly-auth-key x-timer
Akamai: akamai-origin-hop true-client-ip x-akamai-config-log-detail x-akamai-edgescape
Bunny: cdn-requestcountrycode cdn-requestid
Imperva: incap-client-ip incap-proxy-authorization x-iinfo
Azure Front Door: x-azure-clientip x-azure-fdid x-azure-ref x-azure-socketip x-fd-healthprobe
Azure App Service: x-arr-log-id x-arr-ssl x-ms-client-principal-name x-ms-token-aad-expires-on x-site-deployment-id
Azure API Management, Functions: ocp-apim-subscription-key ocp-apim-trace x-functions-key
Google Cloud: x-appengine-country x-cloud-trace-context x-goog-authenticated-user-email x-goog-iap-jwt-assertion
AWS: x-amzn-oidc-accesstoken x-amzn-oidc-data x-amzn-tls-cipher-suite x-amzn-trace-id
Heroku: connect-time total-route-time x-request-start
Fly: fly-client-ip fly-forwarded-port fly-region fly-request-id
Render: render-proxy-ttl rndr-id
Vercel: x-vercel-forwarded-for x-vercel-ip-timezone x-vercel-protection-bypass x-vercel-proxy-signature
Netlify: x-nf-account-id x-nf-client-connection-ip x-nf-request-id
ngrok, localtunnel: bypass-tunnel-reminder ngrok-auth-user-email ngrok-skip-browser-warning
Of an origin: x-edge-auth-key x-cdn-auth-key x-origin-secret x-origin-verify x-shared-proxy-secret
Gateways: x-session-lifetime x-token-expires x-correlation-id x-ratelimit-remaining x-throttle-key x-throttle-minutes
Office: x-timezone-offset-minutes";

#[test]
fn a_header_that_asks_for_protection_or_an_end_asks_for_less() {
    for name in ASKING.split_whitespace() {
        assert!(asks_for_less(name), "{name}");
    }
}

#[test]
fn words_are_whole_and_ambiguous_ones_need_company() {
    for name in "x-thread-id x-viewer reader x-onceward x-ttls nonce x-bunr x-passport oneshot x-nonce x-monkey keyless
        x-pass-through x-download-options x-request-duration x-live-reload x-status-code content-note
        age x-time x-read-timeout x-view-id lock-token x-keep-alive valid-from key-id x-private-network private-token max-forwards"
        .split_whitespace()
    {
        assert!(!asks_for_less(name), "{name}");
    }
}

#[test]
fn no_header_of_a_real_program_asks_for_less() {
    let programs: Vec<_> = PROGRAMS.lines().collect();
    assert!(programs.len() >= 60);
    for line in programs {
        let (_, headers) = line.split_once(": ").unwrap();
        for name in headers
            .split(' ')
            .filter(|it| SaveOption::of_header(it).is_none())
        {
            assert!(!asks_for_less(name), "{line}: {name}");
        }
    }
}

#[test]
fn no_header_that_is_left_out_sets_an_option_or_asks_for_less() {
    let is_left_out = |name: &str| {
        let head = format!("POST / HTTP/1.1\r\nHost: h\r\n{name}: 1\r\n\r\n");
        let mut bytes = head.clone().into_bytes();
        blank_unused(&mut bytes);
        bytes != head.as_bytes()
    };
    let of_programs = PROGRAMS.lines().flat_map(|line| line.split_once(": "));
    let of_programs = of_programs.flat_map(|(_, headers)| headers.split(' '));
    let names = of_programs.chain(ASKING.split_whitespace());
    let left_out: Vec<_> = names.filter(|name| is_left_out(name)).collect();
    assert!(left_out.len() > 10);
    for name in left_out {
        let is_option = SaveOption::of_header(name).is_some();
        assert!(!is_option && !asks_for_less(name), "{name}");
    }
}
