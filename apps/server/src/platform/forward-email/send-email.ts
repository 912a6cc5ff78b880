/**
 * Sends by `POST /v1/emails`. The provider refuses the same Message-ID, date and envelope with 400, in the words of any
 * other refusal: its list tells whether the message is there.
 */
import { asciiAddress } from "@kauke/mail-rfc";
import type {
  Asked,
  HandOver,
  ProviderMailState,
  ProviderMessage,
  SendByProvider,
  SentMessage,
} from "../../core/forwarding/send-by-provider.ts";
import { TokenBuckets } from "../../limits/rate.ts";
import { bounds, partOf } from "../../limits/table.ts";
import type { ApiResponse, CallApi } from "./api-client.ts";
import { MailReserve } from "./mail-reserve.ts";

const { statusReads, statusFreshMs, refusals } = bounds.providerMail;
const DAY_SECONDS = 86_400;
const PARTIES_MAX = 4096;
/** Most entries that the provider puts on a page of its list. */
const PAGE = 50;
const NEWEST = `/v1/emails?sort=-created_at&limit=${PAGE}`;
const BUSY_SECONDS = 60;
const BUSY_MAX_SECONDS = 3600;
/** The next refusal of an account that has had all of its day comes within this time. */
const REFUSED_SECONDS = Math.ceil(DAY_SECONDS / refusals);

interface Options {
  /** Milliseconds from any fixed time on. */
  now?: () => number;
  processes?: number;
}

export function emailSender(api: CallApi, { now = () => performance.now(), processes = 1 }: Options = {}) {
  return new EmailSender(api, now, processes) satisfies SendByProvider;
}

class EmailSender implements SendByProvider {
  readonly #api: CallApi;
  readonly #now: () => number;
  readonly #reads: TokenBuckets;
  /** Each refusal costs a reading, of which the whole server has few. */
  readonly #refusals: TokenBuckets;
  readonly #reserve: MailReserve;
  #newest: { at: number; read: Promise<Listed> } | null = null;
  readonly #gates = { send: 0, read: 0 };

  constructor(api: CallApi, now: () => number, processes: number) {
    this.#api = api;
    this.#now = now;
    this.#reads = new TokenBuckets({ max: partOf(statusReads, processes), windowSeconds: DAY_SECONDS }, 2);
    this.#refusals = new TokenBuckets({ max: partOf(refusals, processes), windowSeconds: DAY_SECONDS }, PARTIES_MAX);
    this.#reserve = new MailReserve(api, now, processes);
  }

  async handOver(message: ProviderMessage, signal: AbortSignal): Promise<HandOver> {
    const { party, isComposed } = message;
    const closed = Math.max(
      this.#secondsClosed("send"),
      this.#refusals.isEmpty(party, this.#now()) ? REFUSED_SECONDS : 0,
    );
    if (closed > 0) return busyFor(closed);
    const composer = isComposed ? party : null;
    const reserved = await this.#reserve.take(composer, signal);
    if (reserved > 0) return busyFor(reserved);
    const over = await this.#post(message, signal);
    if (over.kind === "refused" || (over.kind === "failed" && !over.isUncertain)) this.#reserve.giveBack(composer);
    return over;
  }

  async #post({ raw, from, to, messageId, party }: ProviderMessage, signal: AbortSignal): Promise<HandOver> {
    const response = await this.#api({ method: "POST", path: "/v1/emails", body: { raw, from, to } }, signal);
    if (response.kind === "failed") {
      const retryAfterSeconds = response.problem === "busy" ? this.#close("send", response) : null;
      return { kind: "failed", problem: response.problem, retryAfterSeconds, isUncertain: response.isUncertain };
    }
    const { status, json } = response;
    if (status <= 299) {
      const email = emailOf(json);
      return email?.to === asciiAddress(to) ? await this.#stateOf(email, signal) : failedUnread(true);
    }
    if (status !== 400) return failedUnread(false);
    this.#refusals.spend(party, this.#now());
    const found = await this.find({ messageId, to }, signal);
    if (found.kind === "absent") return { kind: "refused" };
    return found.kind === "unread" ? failedUnread(true) : found;
  }

  async find(sent: SentMessage, signal: AbortSignal): Promise<Asked> {
    this.#reads.spend("all", this.#now());
    const { messageId } = sent;
    const listed = await this.#list(`/v1/emails?q=${encodeURIComponent(messageId)}&limit=${PAGE}`, signal);
    if (listed.kind === "unread") return listed;
    const email = find(listed.emails, sent);
    return email === null ? { kind: "absent" } : await this.#stateOf(email, signal);
  }

  async follow(sent: SentMessage, signal: AbortSignal): Promise<Asked> {
    const listed = await this.#readNewest(signal);
    if (listed.kind === "unread") return listed;
    const email = find(listed.emails, sent);
    if (email !== null) return await this.#stateOf(email, signal);
    if (!this.#reads.take("all", this.#now())) return noToken();
    return await this.find(sent, signal);
  }

  /** One call for all messages that are asked for in the same seconds; it is not stopped with one of them. */
  #readNewest(signal: AbortSignal): Promise<Listed> {
    const now = this.#now();
    if (this.#newest !== null && now - this.#newest.at < statusFreshMs) return this.#newest.read;
    if (!this.#reads.take("all", now)) return Promise.resolve(noToken());
    const read = this.#list(NEWEST, AbortSignal.any([signal, AbortSignal.timeout(bounds.providerCalls.callMs)]));
    this.#newest = { at: now, read };
    return read;
  }

  async #list(path: string, signal: AbortSignal): Promise<Listed> {
    const closed = this.#secondsClosed("read");
    if (closed > 0) return { kind: "unread", retryAfterSeconds: closed };
    const response = await this.#api({ method: "GET", path }, signal);
    if (response.kind === "failed" && response.problem === "busy")
      return { kind: "unread", retryAfterSeconds: this.#close("read", response) };
    const isList = response.kind === "response" && response.status === 200 && Array.isArray(response.json);
    if (!isList) return { kind: "unread", retryAfterSeconds: BUSY_SECONDS };
    return { kind: "list", emails: (response.json as unknown[]).slice(0, PAGE).flatMap((one) => emailOf(one) ?? []) };
  }

  async #stateOf({ id, status }: KnownEmail, signal: AbortSignal): Promise<ProviderMailState> {
    if (status === "sent" || status === "partially_sent") return { kind: "sent" };
    if (status === "rejected") return { kind: "rejected" };
    if (status !== "bounced") return { kind: "waiting" };
    // Lists do not tell why. Without a response the refusal is one without a reason.
    const response = await this.#api({ method: "GET", path: `/v1/emails/${encodeURIComponent(id)}` }, signal);
    return { kind: "bounced", ...(response.kind === "response" ? replyOf(response.json) : noReply) };
  }

  #secondsClosed(gate: "send" | "read"): number {
    return Math.max(0, Math.ceil((this.#gates[gate] - this.#now()) / 1000));
  }

  /** After 429, no call of the kind until the time that the provider names. */
  #close(gate: "send" | "read", { retryAfterSeconds }: Extract<ApiResponse, { kind: "failed" }>): number {
    const seconds = Math.min(Math.max(retryAfterSeconds ?? BUSY_SECONDS, 1), BUSY_MAX_SECONDS);
    this.#gates[gate] = this.#now() + seconds * 1000;
    return seconds;
  }
}

interface KnownEmail {
  id: string;
  status: string;
  messageId: string;
  /** As `asciiAddress` makes it. */
  to: string;
}

type Listed = { kind: "list"; emails: readonly KnownEmail[] } | Extract<Asked, { kind: "unread" }>;

const busyFor = (retryAfterSeconds: number) =>
  ({ kind: "failed", problem: "busy", retryAfterSeconds, isUncertain: false }) as const;

const failedUnread = (isUncertain: boolean) =>
  ({ kind: "failed", problem: "broken_response", retryAfterSeconds: null, isUncertain }) as const;

/** The next token comes within this time. */
const noToken = () => ({ kind: "unread", retryAfterSeconds: Math.ceil(DAY_SECONDS / statusReads) }) as const;

/** @returns `null` for what is no e-mail of ours: we send each to one recipient */
function emailOf(json: unknown): KnownEmail | null {
  const { id, status, messageId, envelope } = Object(json) as Record<string, unknown>;
  const { to } = Object(envelope) as { to?: unknown };
  const [only, ...others] = Array.isArray(to) ? (to as unknown[]) : [];
  if (typeof id !== "string" || typeof status !== "string" || typeof messageId !== "string") return null;
  return typeof only === "string" && others.length === 0 ? { id, status, messageId, to: asciiAddress(only) } : null;
}

const find = (emails: readonly KnownEmail[], { messageId, to }: SentMessage): KnownEmail | null =>
  emails.find((one) => one.messageId === messageId && one.to === asciiAddress(to)) ?? null;

const noReply = { replyCode: null, enhancedStatus: null };
const ENHANCED = /^(?:[45][0-9]{2}[ -])?([45]\.[0-9]{1,3}\.[0-9]{1,3})\b/;

/** Only the numbers: the text may name people. */
function replyOf(json: unknown) {
  const { rejectedErrors } = Object(json) as { rejectedErrors?: unknown };
  const [first] = Array.isArray(rejectedErrors) ? (rejectedErrors as unknown[]) : [];
  const { responseCode, response } = Object(first) as { responseCode?: unknown; response?: unknown };
  const isRefusal = typeof responseCode === "number" && responseCode >= 500 && responseCode <= 599;
  const enhancedStatus = typeof response === "string" ? (ENHANCED.exec(response.slice(0, 40))?.[1] ?? null) : null;
  return { replyCode: isRefusal ? Math.trunc(responseCode) : null, enhancedStatus };
}
