/** Reads a peer's reply (RFC 5321 §4.2) and maps it to an outcome. Drops its text, which may name the real address. */
import type { DeliveryOutcome, FailureCode } from "../core/delivery/delivery.ts";

export interface PeerReply {
  code: number;
  /** Enhanced status of the last line (RFC 3463), e.g. `5.1.1`. */
  enhancedStatus: string | null;
  /** Text lines, which may contain an address: never log them or pass them on. */
  lines: readonly string[];
}

const MAX_LINE_BYTES = 2048;
const MAX_LINES = 100;
const LINE = /^([2-5][0-9]{2})(?:([ -])([^]*))?$/;
const ENHANCED_STATUS = /^[245]\.[0-9]{1,3}\.[0-9]{1,3}(?![^ ])/;
const NO_BYTES = Buffer.alloc(0);

export class ReplyReader {
  #rest: Buffer = NO_BYTES;
  #code = 0;
  #lines: string[] = [];

  get isMidway(): boolean {
    return this.#rest.length > 0 || this.#lines.length > 0;
  }

  /** @returns the completed replies; `null` when the bytes are no SMTP reply or exceed a limit */
  push(chunk: Buffer): PeerReply[] | null {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const replies: PeerReply[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      if (end - start > MAX_LINE_BYTES || !this.#line(bytes, start, end, replies)) return null;
      start = end + 1;
    }
    if (bytes.length - start > MAX_LINE_BYTES) return null;
    this.#rest = start === bytes.length ? NO_BYTES : Buffer.from(bytes.subarray(start));
    return replies;
  }

  #line(bytes: Buffer, start: number, end: number, replies: PeerReply[]): boolean {
    const match = LINE.exec(bytes.toString("latin1", start, bytes[end - 1] === 13 ? end - 1 : end));
    if (match === null || this.#lines.length >= MAX_LINES) return false;
    const code = Number(match[1]);
    if (this.#lines.length > 0 && code !== this.#code) return false;
    this.#code = code;
    this.#lines.push(match[3] ?? "");
    if (match[2] !== "-") replies.push(this.#finish());
    return true;
  }

  #finish(): PeerReply {
    const lines = this.#lines;
    this.#lines = [];
    return { code: this.#code, enhancedStatus: ENHANCED_STATUS.exec(lines.at(-1) ?? "")?.[0] ?? null, lines };
  }
}

/** When the reply came; `body` lasts from the 354 to the reply after the final dot. */
export type SmtpStage = "greeting" | "hello" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "body";

export type LossReason = "unreachable" | "timed_out" | "connection_lost" | "tls_failed" | "bad_reply" | "aborted";

type Row = readonly [code: FailureCode, detail: string];

export const taken: DeliveryOutcome = { kind: "taken" };

/** Outcome of an attempt that sent nothing: a limit on concurrent attempts or on memory was reached. */
export const untried: Extract<DeliveryOutcome, { kind: "deferred" }> = {
  kind: "deferred",
  failure: { code: "try_later", enhancedStatus: "4.4.5" },
  isUntried: true,
};

export function deferred(code: FailureCode, enhancedStatus: string): DeliveryOutcome {
  return { kind: "deferred", failure: { code, enhancedStatus } };
}

export function refused(code: FailureCode, enhancedStatus: string): DeliveryOutcome {
  return { kind: "refused", failure: { code, enhancedStatus } };
}

const losses: Record<LossReason, readonly [FailureCode, string]> = {
  unreachable: ["unreachable", "4.4.1"],
  timed_out: ["timed_out", "4.4.2"],
  connection_lost: ["connection_lost", "4.4.2"],
  tls_failed: ["tls_failed", "4.7.5"],
  bad_reply: ["not_supported", "4.5.0"],
  aborted: ["timed_out", "4.4.2"],
};

/** A lost connection is never the message's fault, so it defers. */
export function classifyLoss(reason: LossReason): DeliveryOutcome {
  return deferred(...losses[reason]);
}

// Subject and detail of an enhanced status (RFC 3463), where these say more than the reply code.
const byEnhancedStatus: Readonly<Record<string, FailureCode>> = {
  "1.1": "mailbox_unknown", // 550 5.1.1 User unknown
  "1.2": "no_mail_host", // 550 5.1.2 Host unknown
  "1.3": "mailbox_unknown", // 501 5.1.3 Bad recipient address syntax
  "1.6": "mailbox_unknown", // 551 5.1.6 User has moved
  "1.7": "refused_by_policy", // 553 5.1.7 Bad sender address syntax
  "1.8": "refused_by_policy", // 553 5.1.8 Domain of sender address does not resolve
  "2.1": "mailbox_unknown", // 550 5.2.1 Mailbox disabled
  "2.2": "mailbox_full", // 552 5.2.2 Over quota; 452 4.2.2
  "2.3": "too_large", // 552 5.2.3 Message larger than this user takes
  "3.1": "try_later", // 452 4.3.1 Insufficient system storage
  "3.2": "try_later", // 453 4.3.2 System not accepting network messages
  "3.4": "too_large", // 552 5.3.4 Message size exceeds fixed limit
  "4.4": "no_mail_host", // 550 5.4.4 Unable to route
  "6.7": "not_supported", // 550 5.6.7 Non-ASCII addresses not permitted (RFC 6531)
  "7.8": "login_failed", // 535 5.7.8 Authentication credentials invalid
  "7.9": "login_failed", // 534 5.7.9 Mechanism too weak
};

// Subject of an enhanced status, for details that `byEnhancedStatus` does not list.
const bySubject: Readonly<Record<string, FailureCode>> = {
  "5": "not_supported", // 502 5.5.1 Invalid command
  "6": "refused_content", // 554 5.6.0 Message malformed
  "7": "refused_by_policy", // 550 5.7.1 Blocked
};

// Failure code by reply code, with the subject and detail to use without an enhanced status.
const byReplyCode: Readonly<Record<number, Row>> = {
  421: ["try_later", "3.2"], // Service not available, closing channel
  450: ["try_later", "2.0"], // Mailbox busy; greylisting
  451: ["try_later", "3.0"], // Local error
  452: ["try_later", "3.1"], // Insufficient storage
  454: ["try_later", "7.0"], // Temporary authentication failure (RFC 4954)
  455: ["not_supported", "5.4"], // Unable to accommodate parameters
  500: ["not_supported", "5.2"],
  501: ["not_supported", "5.4"],
  502: ["not_supported", "5.1"],
  503: ["not_supported", "5.1"],
  504: ["not_supported", "5.4"],
  521: ["no_mail_host", "3.2"], // Host does not accept mail (RFC 7504)
  523: ["too_large", "3.4"], // RFC 4468
  530: ["login_failed", "7.0"], // Authentication required
  534: ["login_failed", "7.9"],
  535: ["login_failed", "7.8"],
  538: ["login_failed", "7.11"],
  550: ["refused_by_policy", "7.1"],
  551: ["mailbox_unknown", "1.6"],
  552: ["too_large", "3.4"],
  553: ["refused_by_policy", "1.7"],
  554: ["refused_by_policy", "7.1"],
  555: ["not_supported", "5.4"], // Parameters not recognised
  556: ["no_mail_host", "1.10"], // Domain does not accept mail (RFC 7504)
};

// Reply codes whose meaning depends on the stage.
const byStage: Partial<Record<SmtpStage, Readonly<Record<number, Row>>>> = {
  rcpt: {
    550: ["mailbox_unknown", "1.1"],
    552: ["mailbox_full", "2.2"],
    553: ["mailbox_unknown", "1.3"], // Mailbox name not allowed
  },
  body: { 554: ["refused_content", "6.0"] }, // Transaction failed; used by content filters
};

// Before MAIL, replies concern our configuration or the host, never the message, so even 5xx defers it.
const setUpStages: ReadonlySet<SmtpStage> = new Set(["greeting", "hello", "starttls", "auth"]);

const expectedCode: Partial<Record<SmtpStage, number>> = { data: 354 };

export function isPositive(reply: PeerReply, stage: SmtpStage): boolean {
  const expected = expectedCode[stage];
  return expected === undefined ? reply.code >= 200 && reply.code < 300 : reply.code === expected;
}

/**
 * A 5xx before MAIL, a demand for a login (our configuration's fault) and an unexpected reply defer too.
 * @returns e.g. `550 5.1.1` at `rcpt`: refused, `mailbox_unknown`; `554` at `greeting`: deferred, `try_later`
 */
export function classifyReply(reply: PeerReply, stage: SmtpStage): DeliveryOutcome {
  if (isPositive(reply, stage)) return taken;
  if (reply.code < 400) return deferred("not_supported", "4.5.0");
  if (stage === "greeting" || stage === "hello") return deferred("try_later", "4.3.2");
  const [code, detail] = meaning(reply, stage);
  const isDeferred = reply.code < 500 || setUpStages.has(stage) || code === "login_failed";
  return isDeferred ? deferred(code, `4.${detail}`) : refused(code, `5.${detail}`);
}

/** Whether a reply to RCPT says that the mailbox does not exist, by its enhanced status: 550 may mean anything. */
export function isMailboxMissing({ code, enhancedStatus }: PeerReply): boolean {
  return code >= 500 && /^5\.(?:1\.[12]|2\.1)$/.test(enhancedStatus ?? "");
}

/** Except for 421 and MAIL, subjects 1 and 2 (RFC 3463) concern one mailbox: they must not slow down its host. */
export function isHostBusy({ code, enhancedStatus }: PeerReply, stage: SmtpStage): boolean {
  if (code < 400 || code >= 500) return false;
  return code === 421 || stage === "mail" || !/^4\.[12]\./.test(enhancedStatus ?? "");
}

function meaning(reply: PeerReply, stage: SmtpStage): Row {
  const row = stageRow(reply.code, stage);
  const detail = reply.enhancedStatus?.slice(2);
  if (detail === undefined || detail === "0.0" || setUpStages.has(stage) || row[0] === "login_failed") return row;
  const subject = bySubject[detail.split(".", 1)[0] ?? ""];
  return [byEnhancedStatus[detail] ?? (reply.code < 500 ? row[0] : (subject ?? row[0])), detail];
}

function stageRow(code: number, stage: SmtpStage): Row {
  if (stage === "starttls") return ["tls_failed", "7.0"];
  if (stage === "auth" && code >= 500) return ["login_failed", "7.8"];
  return (
    byStage[stage]?.[code] ?? byReplyCode[code] ?? (code < 500 ? ["try_later", "0.0"] : ["refused_by_policy", "0.0"])
  );
}
