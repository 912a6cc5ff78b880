/**
 * Every metric there is: its help text and, for each label, the closed set of values. What is not in here is not counted, so
 * no address or id can become a label.
 */
import { pageEvents } from "@kauke/contract";
import { mailLimitNames } from "../../core/rate-limit/mail-limit-rules.ts";
import { nextHopFailures } from "../../mail/transport/note-next-hop-failure.ts";

export interface MetricKind {
  help: string;
  labels?: Readonly<Record<string, readonly string[]>>;
}

const destinationKinds = ["mailbox", "webhook"] as const;

/** Raised by `count`. */
export const counters: Readonly<Record<string, MetricKind>> = {
  kauke_deliveries_total: {
    help: "Attempts to hand a message to one destination, by result.",
    labels: { kind: destinationKinds, result: ["taken", "deferred", "refused"] },
  },
  kauke_http_requests_total: {
    help: "HTTP requests answered, by class of status.",
    labels: { status: ["1xx", "2xx", "3xx", "4xx", "5xx"] },
  },
  kauke_mail_limited_total: {
    help: "Connections and recipients told to come back because of a limit, by the limit's name.",
    labels: { limit: mailLimitNames },
  },
  kauke_messages_total: {
    help: "Messages taken or turned away at the end of their data.",
    labels: { result: ["passed", "kept", "refused", "spool_quota", "spool_failed"] },
  },
  kauke_mx_refused_connections_total: { help: "Inbound connections turned away because there were too many." },
  kauke_mx_shown_out_total: {
    help: "Inbound connections ended because they were too slow, by what they were slow at, or made room for others (crowded).",
    labels: { why: ["line", "data", "memory", "no_mail", "sign_in", "crowded"] },
  },
  kauke_next_hop_failures_total: {
    help: "Connections to mail hosts, or to the relay, that failed before the first message, by why.",
    labels: { code: nextHopFailures },
  },
  kauke_page_events_total: {
    help: "What happened on the pages, in all browsers together. Above 600 in a minute from one network they are not counted.",
    labels: { event: pageEvents },
  },
  kauke_sts_mail_total: {
    help: "Mail to domains with an MTA-STS policy, by whether their mail hosts are those of the policy.",
    labels: { mode: ["enforce", "testing"], result: ["listed", "not_listed"] },
  },
  kauke_settle_failures_total: {
    help: "Outcomes of deliveries that could not be written down at once; they are written again until the store takes them.",
  },
  kauke_unreadable_total: {
    help: "Times that queued mail could not be read back from the store: its row in the queue, or its body.",
    labels: { what: ["delivery", "body"] },
  },
  kauke_metrics_refused_total: { help: "Counts of a name or label that the table does not have: a mistake of ours." },
};

/** Read when `/metrics` is asked for. */
export const gauges: Readonly<Record<string, MetricKind>> = {
  kauke_http_sockets: { help: "Open sockets of the web server." },
  kauke_mx_sessions: { help: "Open inbound SMTP connections." },
  kauke_submission_sessions: { help: "Open submission connections with STARTTLS." },
  kauke_message_memory_bytes: { help: "Messages held in memory, in bytes." },
  process_resident_memory_bytes: { help: "Memory of this process." },
  process_heap_bytes: { help: "JavaScript heap in use." },
  process_cpu_seconds_total: { help: "Processor time of this process, user and system." },
  process_start_time_seconds: { help: "When this process began, as Unix time." },
  nodejs_eventloop_lag_p99_seconds: { help: "99th percentile of the event loop's delay since the last reading." },
};
