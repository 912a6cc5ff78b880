/** All metrics, with a closed set of values for each label, so that no address or id can become a label. */
import { pageEvents } from "@kauke/contract";
import { nextHopFailures } from "../../core/delivery/delivery.ts";
import { mailLimitNames } from "../../limits/named-limits.ts";

export interface MetricKind {
  help: string;
  labels?: Readonly<Record<string, readonly string[]>>;
}

const destinationKinds = ["mailbox", "webhook"] as const;

export const counters: Readonly<Record<string, MetricKind>> = {
  kauke_deliveries_total: {
    help: "Attempts to hand a message to one destination, by result.",
    labels: { kind: destinationKinds, result: ["taken", "deferred", "refused"] },
  },
  kauke_mailbox_deliveries_total: {
    help: "Attempts to hand a message to one mailbox, by the provider of its domain and by result.",
    labels: {
      provider: ["google", "microsoft", "yahoo", "apple", "other"],
      result: ["taken", "deferred", "refused"],
    },
  },
  kauke_http_requests_total: {
    help: "HTTP requests answered, by class of status.",
    labels: { status: ["1xx", "2xx", "3xx", "4xx", "5xx"] },
  },
  kauke_mail_limited_total: {
    help: "Connections and recipients refused temporarily because of a limit, by the limit's name.",
    labels: { limit: mailLimitNames },
  },
  kauke_messages_total: {
    help: "Messages accepted or refused at the end of DATA.",
    labels: { result: ["passed", "kept", "refused", "spool_quota", "spool_failed"] },
  },
  kauke_mx_refused_connections_total: { help: "Inbound connections refused because there were too many." },
  kauke_mx_evicted_total: {
    help: "Inbound connections closed by the server: too slow, by what was slow, or evicted in favour of others (crowded).",
    labels: { why: ["line", "data", "memory", "no_mail", "sign_in", "crowded"] },
  },
  kauke_next_hop_failures_total: {
    help: "Connections to mail hosts, or to the relay, that failed before the first message, by reason.",
    labels: { code: nextHopFailures },
  },
  kauke_page_events_total: {
    help: "Events on the pages, over all browsers. Events above 600 per minute from one network are not counted.",
    labels: { event: pageEvents },
  },
  kauke_sts_mail_total: {
    help: "Deliveries to domains with an MTA-STS policy, by whether the policy lists their mail host.",
    labels: { mode: ["enforce", "testing"], result: ["listed", "not_listed"] },
  },
  kauke_settle_failures_total: {
    help: "Outcomes of deliveries that could not be stored at once; the write is retried until it succeeds.",
  },
  kauke_unreadable_total: {
    help: "Queued mail that could not be read from the store: its row in the queue, or its body.",
    labels: { what: ["delivery", "body"] },
  },
  kauke_metrics_refused_total: { help: "Counts with a name or label that the metric table lacks: a bug." },
};

export const gauges: Readonly<Record<string, MetricKind>> = {
  kauke_http_sockets: { help: "Open sockets of the web server." },
  kauke_live_streams: { help: "Open event streams of signed-in browsers." },
  kauke_mx_sessions: { help: "Open inbound SMTP connections." },
  kauke_submission_sessions: { help: "Open submission connections with STARTTLS." },
  kauke_queue_deliveries: { help: "Open deliveries in the queue, at most a minute old." },
  kauke_queue_age_seconds: { help: "Age of the oldest open delivery, at most a minute old; 0 without any." },
  kauke_provider_waiting: { help: "Aliases that are to be set up at the forwarding provider, at most a minute old." },
  kauke_provider_failed: { help: "Those of them whose last try failed, at most a minute old." },
  kauke_provider_differences: { help: "What the last daily comparison with the provider found to repair." },
  kauke_own_domains_new: { help: "Own domains of accounts that are not proven yet, at most a minute old." },
  kauke_own_domains_proven: { help: "Own domains whose records are right, at most a minute old." },
  kauke_own_domains_failing: { help: "Own domains with wrong records whose mail goes on, at most a minute old." },
  kauke_own_domains_suspended: { help: "Own domains whose mail waits at its senders, at most a minute old." },
  kauke_own_domains_closed: { help: "Own domains whose mail is refused, at most a minute old." },
  kauke_certificate_seconds_left: { help: "Seconds until the certificate of the mail host expires." },
  kauke_disk_reserve_share: { help: "Share of the disk reserve that is left; 1 while the disk has enough space." },
  kauke_store_sound: { help: "0 after a failed fsync of the embedded database: nothing is stored until a restart." },
  kauke_message_memory_bytes: { help: "Messages held in memory, in bytes." },
  process_resident_memory_bytes: { help: "Memory of this process." },
  process_heap_bytes: { help: "JavaScript heap in use." },
  process_cpu_seconds_total: { help: "Processor time of this process, user and system." },
  process_start_time_seconds: { help: "Start of this process, as Unix time." },
  nodejs_eventloop_lag_p99_seconds: { help: "99th percentile of the event loop's delay since the last reading." },
};
