/**
 * `KAUKE_DELIVERY=provider`: hands messages over to the forwarding provider, which delivers them. Until it says what
 * became of one, the delivery waits and is asked for again, which does not count as an attempt.
 */
import {
  asciiDomainOf,
  fieldValue,
  findMessageIds,
  parseAddressList,
  readHeader,
  toSevenBit,
  unstuff,
} from "@kauke/mail-rfc";
import {
  type DeliveryFailure,
  type DeliveryOutcome,
  ENGINE_WAIT_MS,
  type FailureCode,
  type Uncounted,
} from "../../core/delivery/delivery.ts";
import type { Asked, HandOver, ProviderMessage, SendByProvider } from "../../core/forwarding/send-by-provider.ts";
import { bounds, partOfAll } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import type { Clock } from "../../runtime/ports.ts";
import { classifyLoss, classifyReply, deferred, refused, taken, untried } from "../classify-reply.ts";
import { CallSlots } from "./call-slots.ts";
import { type MailTransport, type OngoingAttempt, type OutgoingMail, outcomeOnly } from "./transport.ts";

export interface ProviderTransportParts {
  provider: SendByProvider;
  /** It sends only as these. */
  domains: readonly string[];
  clock: Clock;
  processes?: number | undefined;
}

const { messageBytes, remembered, settleMs } = bounds.providerMail;
/** Milliseconds until each question for one message; the last one repeats. */
const ASK_AFTER_MS = [5000, 15_000, 60_000, 300_000, 900_000, 3_600_000] as const;
const ABSENT_AFTER = 2;

const tooLarge = refused("too_large", "5.3.4");
const notAscii = refused("not_supported", "5.6.7");
const malformed = refused("refused_content", "5.6.0");
const refusedThere = refused("provider_refused", "5.7.1");
const refusedFirst = deferred("provider_refused", "4.7.1");

type Pause = { failure: DeliveryFailure; uncounted: Uncounted };
const waiting = { failure: { code: "at_provider", enhancedStatus: "4.4.0" }, uncounted: "handed_over" } satisfies Pause;
const busy = { failure: { code: "provider_busy", enhancedStatus: "4.7.1" }, uncounted: "for_leave" } satisfies Pause;
const unsure = {
  failure: { code: "provider_silent", enhancedStatus: "4.4.2" },
  uncounted: "handed_over",
} satisfies Pause;
/** Copies that our engine made before the provider took its place: the provider would refuse to send as a stranger. */
const forEngine = {
  failure: { code: "engine_needed", enhancedStatus: "4.3.5" },
  uncounted: "for_engine",
} satisfies Pause;
/** As an outcome it counts, so that a message whose every call gets lost is given up in the end. */
const silent: DeliveryOutcome = { kind: "deferred", failure: unsure.failure };

/** What this process knows of a message; after a restart, the delivery's last failure tells the most of it. */
interface Known {
  isHandedOver: boolean;
  asked: number;
  /** When a call ended without a whole response, in milliseconds since 1970. */
  unsureSince: number;
}

export function createProviderTransport(parts: ProviderTransportParts): MailTransport {
  return new ProviderTransport(parts);
}

class ProviderTransport implements MailTransport {
  readonly #provider: SendByProvider;
  readonly #domains: ReadonlySet<string>;
  readonly #clock: Clock;
  readonly #slots: CallSlots;
  readonly #known = new BoundedMap<string, Known>(remembered);
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor({ provider, domains, clock, processes = 1 }: ProviderTransportParts) {
    this.#provider = provider;
    this.#domains = new Set(domains);
    this.#clock = clock;
    this.#slots = new CallSlots(partOfAll(bounds.webhookCalls, processes));
  }

  async send(mail: OutgoingMail, attempt: OngoingAttempt) {
    if (mail.isForwarded === true) return outcomeOnly(this.#later(forEngine, ENGINE_WAIT_MS));
    const slot = await this.#slots.take("provider", attempt);
    if (slot === null) return outcomeOnly(attempt.signal.aborted ? classifyLoss("aborted") : untried);
    const work = this.#send(mail, attempt);
    this.#running.add(work);
    try {
      return outcomeOnly(await work);
    } finally {
      this.#running.delete(work);
      slot.free();
    }
  }

  async close(graceMs = 500): Promise<void> {
    this.#slots.close();
    const timer = setTimeout(() => this.#closing.abort(), graceMs);
    await Promise.allSettled(this.#running);
    clearTimeout(timer);
  }

  async #send(mail: OutgoingMail, attempt: OngoingAttempt): Promise<DeliveryOutcome> {
    const message = providerMessage(mail);
    if ("kind" in message) return message;
    if (!this.#domains.has(asciiDomainOf(message.from))) return this.#later(forEngine, ENGINE_WAIT_MS);
    const key = `${message.messageId}\0${message.to}`;
    const signal = AbortSignal.any([attempt.signal, this.#closing.signal]);
    const outcome = await this.#next({ key, message, attempt, signal, lastFailure: mail.lastFailure });
    if (outcome.kind !== "deferred") this.#known.delete(key);
    return outcome;
  }

  async #next({ lastFailure, ...sending }: Sending): Promise<DeliveryOutcome> {
    const { key, message, signal } = sending;
    const known = this.#known.get(key) ?? null;
    if (known?.isHandedOver === true || lastFailure === "at_provider")
      return this.#follow(key, await this.#provider.follow(message, signal));
    if (known !== null || lastFailure === "provider_silent") {
      const found = await this.#provider.find(message, signal);
      if (found.kind === "unread") return this.#later(unsure, found.retryAfterSeconds * 1000);
      if (found.kind !== "absent") return this.#follow(key, found);
      // The lost call may still be carried out, and a second one at the same moment would send the message twice.
      const sinceMs = this.#nowMs - (known?.unsureSince ?? 0);
      // Less than nothing: the clock was set back, perhaps by days.
      if (sinceMs >= 0 && sinceMs < settleMs) return this.#later(unsure, settleMs - sinceMs);
    }
    return this.#handOver({ ...sending, lastFailure });
  }

  async #handOver({ key, message, attempt, signal, lastFailure }: Sending): Promise<DeliveryOutcome> {
    attempt.sendEnd(false);
    const over = await this.#provider.handOver({ ...message, party: attempt.party }, signal);
    // The first time, the alias may be off there only because its change is yet to be made, e.g. after an outage.
    if (over.kind === "refused") return lastFailure === "provider_refused" ? refusedThere : refusedFirst;
    if (over.kind !== "failed") return this.#follow(key, over);
    if (!over.isUncertain) return this.#failed(over);
    this.#known.set(key, { isHandedOver: false, asked: 0, unsureSince: this.#nowMs });
    const found = signal.aborted ? null : await this.#provider.find(message, signal);
    return found === null || found.kind === "absent" || found.kind === "unread" ? silent : this.#follow(key, found);
  }

  #failed({ problem, retryAfterSeconds }: Extract<HandOver, { kind: "failed" }>): DeliveryOutcome {
    if (problem === "busy") return this.#later(busy, (retryAfterSeconds ?? 0) * 1000);
    const isReached = problem !== "unreachable" && problem !== "timed_out";
    return isReached ? deferred("provider_closed", "4.7.0") : deferred("provider_unreachable", "4.4.1");
  }

  /** @param state of a message that was handed over */
  #follow(key: string, state: Asked): DeliveryOutcome {
    if (state.kind === "sent") return taken;
    if (state.kind === "rejected") return refusedThere;
    if (state.kind === "bounced") return bounced(state);
    const asked = this.#known.get(key)?.asked ?? 0;
    // The provider forgets in time what it has delivered; just after the hand-over, its list may not be complete.
    if (state.kind === "absent" && asked >= ABSENT_AFTER) return taken;
    this.#known.set(key, { isHandedOver: true, asked: asked + 1, unsureSince: 0 });
    const waitMs = ASK_AFTER_MS[asked] ?? ASK_AFTER_MS.at(-1) ?? 0;
    const atLeastMs = state.kind === "unread" ? state.retryAfterSeconds * 1000 : 0;
    return this.#later(waiting, Math.max(waitMs, atLeastMs));
  }

  #later({ failure, uncounted }: Pause, waitMs: number): DeliveryOutcome {
    return { kind: "deferred", failure, uncounted, notBefore: new Date(this.#nowMs + waitMs) };
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

interface Sending {
  key: string;
  message: Omit<ProviderMessage, "party">;
  attempt: OngoingAttempt;
  signal: AbortSignal;
  lastFailure: FailureCode | undefined;
}

/** Without the reason in the reply code alone, only an enhanced status tells that there is no such mailbox. */
function bounced({ replyCode, enhancedStatus }: Extract<Asked, { kind: "bounced" }>): DeliveryOutcome {
  if (replyCode === null) return refused("refused_by_policy", "5.0.0");
  return classifyReply({ code: replyCode, enhancedStatus, lines: [] }, "mail");
}

/** @returns what is handed over, or why it can't be */
function providerMessage({ rcptTo, wire, isComposed = false }: OutgoingMail): Sending["message"] | DeliveryOutcome {
  const parts = wire();
  if (parts === null) return classifyLoss("aborted");
  const bytes = unstuff(Buffer.concat(parts));
  if (bytes.length > messageBytes) return tooLarge;
  const { fields } = readHeader(bytes);
  const valueOf = (name: string) => fields.filter((field) => field.name === name).map((one) => fieldValue(bytes, one));
  const [author, ...otherAuthors] = valueOf("from").flatMap((text) => parseAddressList(text));
  const [messageId] = findMessageIds(valueOf("message-id").join(" "), 1);
  if (author === undefined || otherAuthors.length > 0 || messageId === undefined) return malformed;
  const hidden = fields.filter(({ name }) => name === "bcc");
  const raw = toSevenBit(withoutFields(bytes, hidden))?.toString("latin1");
  if (raw === undefined || !isAscii(raw) || !isAscii(rcptTo)) return notAscii;
  return { raw, from: author.address, to: rcptTo, messageId: messageId.replace(/^<|>$/g, ""), isComposed };
}

function withoutFields(bytes: Buffer, fields: readonly { start: number; end: number }[]): Buffer {
  const starts = [0, ...fields.map(({ end }) => end)];
  const ends = [...fields.map(({ start }) => start), bytes.length];
  return fields.length === 0 ? bytes : Buffer.concat(starts.map((start, at) => bytes.subarray(start, ends[at])));
}

/** The provider's interface takes text, in which other octets and NUL would change. */
const isAscii = (text: string): boolean => /^[\x01-\x7f]*$/.test(text);
