/**
 * A proof of mail in both directions: the operator writes to the probe's address from a mailbox elsewhere, the server
 * answers, and the operator answers that. Only what was found is stored: no address and no text of these messages.
 */
import type { MailProbeWire } from "@kauke/contract";
import { probeName } from "@kauke/contract/reserved-names";
import { makeMessageId, toBase32 } from "@kauke/mail-rfc";
import type { Clock, Random } from "../../runtime/ports.ts";
import { type DeliveryOutcome, failureText } from "../delivery/delivery.ts";
import type { HeaderJudgement } from "./judge-header.ts";

type Arrived = NonNullable<MailProbeWire["arrived"]>;
export type CertificateState = Arrived["certificate"];

export interface MailProbe extends Omit<MailProbeWire, "startedAt" | "expiresAt"> {
  startedAt: Date;
  expiresAt: Date;
  /** Message-ID of our answer, by which an answer to it is recognised. */
  answerId: string;
}

export type ProbeKey = { id: string } | { address: string };

export interface MailProbeStore {
  /** Stores a new probe and deletes the oldest ones if there are too many. */
  start(probe: MailProbe): Promise<void>;
  /** @returns the probe's id; `null` when the address is unknown, expired, or has had as much mail as it may get */
  resolve(address: string): Promise<string | null>;
  /** Counts a message. @returns `null` when there is no such probe, or it has had as much mail as it may get */
  takeMessage(id: string): Promise<MailProbe | null>;
  find(id: string): Promise<MailProbe | null>;
  /** The probe that was started last. */
  newest(): Promise<MailProbe | null>;
  /** Concurrent changes of one probe wait for each other. @returns the changed probe; `null` when there is none */
  change(key: ProbeKey, change: (probe: MailProbe) => MailProbe): Promise<MailProbe | null>;
  deleteExpired(now: Date): Promise<number>;
}

const DAY_MS = 86_400_000;

export const isProbeName = (local: string): boolean => probeName.test(local);

export function newProbe({ clock, random }: { clock: Clock; random: Random }, domain: string): MailProbe {
  const startedAt = clock.now();
  const token = toBase32(random.bytes(8)).toLowerCase();
  const groups = [0, 4, 8].map((at) => token.slice(at, at + 4));
  return {
    id: random.uuid(),
    address: `probe-${groups.join("-")}@${domain}`,
    startedAt,
    expiresAt: new Date(startedAt.getTime() + DAY_MS),
    answerId: makeMessageId(random.bytes(16), domain),
    arrived: null,
    answer: null,
    answerProblem: null,
    returned: false,
    ours: null,
    inSpam: null,
  };
}

/** Only one message counts. @param refusal why it gets no answer; `null`: its answer is enqueued next */
export function withArrival(
  probe: MailProbe,
  { receivedAt, refusal, ...found }: Omit<Arrived, "seconds"> & { receivedAt: Date; refusal: string | null },
): MailProbe {
  if (!isToBeAnswered(probe, receivedAt)) return probe;
  const seconds = Math.max(0, Math.round((receivedAt.getTime() - probe.startedAt.getTime()) / 1000));
  return {
    ...probe,
    arrived: { seconds, ...found },
    answer: refusal === null ? null : "not_sent",
    answerProblem: refusal,
  };
}

const ENQUEUE_MS = 60_000;

/** Whether none came yet, or the server stopped before it enqueued an answer: then their host sends it again. */
export function isToBeAnswered({ arrived, answer, startedAt }: MailProbe, now: Date): boolean {
  if (arrived === null) return true;
  return answer === null && now.getTime() > startedAt.getTime() + arrived.seconds * 1000 + ENQUEUE_MS;
}

/** Its outcome may be known before. */
export const withAnswer = (probe: MailProbe): MailProbe => ({ ...probe, answer: probe.answer ?? "queued" });

/** Undoes `withArrival` when the answer could not be enqueued: their host sends the message again. */
export function withoutArrival(probe: MailProbe): MailProbe {
  return { ...probe, arrived: null, answer: null, answerProblem: null };
}

/** The outcome of an attempt to deliver our answer. */
export function withOutcome(probe: MailProbe, outcome: DeliveryOutcome): MailProbe {
  if (probe.answer !== null && probe.answer !== "queued") return probe;
  if (outcome.kind === "taken") return { ...probe, answer: "taken", answerProblem: null };
  const { code, enhancedStatus } = outcome.failure;
  const why = `${failureText[code]} (${enhancedStatus})`;
  if (outcome.kind === "refused")
    return { ...probe, answer: "refused", answerProblem: `The mailbox did not get it: ${why}.` };
  return { ...withAnswer(probe), answerProblem: `It waits for another attempt: ${why}.` };
}

/** Whether there is an answer of ours that can be returned, judged or answered. */
export const hasAnswered = ({ answer }: Pick<MailProbeWire, "answer">): boolean =>
  answer === "queued" || answer === "taken";

/** A delivery report about our answer, which was taken by another host before. */
export function withBounce(probe: MailProbe, enhancedStatus: string): MailProbe {
  if (!hasAnswered(probe)) return probe;
  const answerProblem = `A mail host took it first and returned it later (${enhancedStatus}).`;
  return { ...probe, answer: "refused", answerProblem };
}

/** What is known later replaces what was known before; what is not known replaces nothing. */
export function withJudgement(probe: MailProbe, { ours, inSpam }: HeaderJudgement): MailProbe {
  return hasAnswered(probe) ? { ...probe, ours: ours ?? probe.ours, inSpam: inSpam ?? probe.inSpam } : probe;
}

export function withReturn(probe: MailProbe, judgement: HeaderJudgement): MailProbe {
  return hasAnswered(probe) ? withJudgement({ ...probe, returned: true }, judgement) : probe;
}

export function probeWire({ startedAt, expiresAt, ...probe }: MailProbe): MailProbeWire {
  const { id, address, arrived, answer, answerProblem, returned, ours, inSpam } = probe;
  const times = { startedAt: startedAt.toISOString(), expiresAt: expiresAt.toISOString() };
  return { id, address, ...times, arrived, answer, answerProblem, returned, ours, inSpam };
}
