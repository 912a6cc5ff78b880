/**
 * The stage that takes mail to the address of a probe: the first message proves the way in and gets one answer, an
 * answer to that proves the way back. Everything else has no effect, and nothing but what was found is stored.
 */
import {
  asciiDomainOf,
  domainOf,
  findField,
  firstValue,
  type HeaderSource,
  readAutoSubmitted,
  readDeliveryReport,
  unstuff,
} from "@kauke/mail-rfc";
import type { DestinationStore } from "../../core/destination/destination.ts";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import type { MessageAuthentication } from "../../core/message/message.ts";
import type { QueueDeps } from "../../core/own-mail.ts";
import { probeResult } from "../../core/probe/judge-header.ts";
import {
  isToBeAnswered,
  type MailProbe,
  type MailProbeStore,
  withAnswer,
  withArrival,
  withBounce,
  withoutArrival,
  withReturn,
} from "../../core/probe/probe.ts";
import { answerProbe } from "../../core/probe/probe-answer.ts";
import { registrableDomain } from "../../limits/party.ts";
import { accept, endWith, replyForThrow, type SmtpReply, type StageVerdict } from "../reply.ts";
import type { ScreenedMessage } from "./arrived-message.ts";
import { readShownAuthor } from "./authenticate/author.ts";
import { judgeCertificate, type OurCertificate } from "./judge-certificate.ts";
import { readProbeReturn } from "./read-probe-return.ts";

export interface TakeProbeMailDeps {
  probes: Pick<MailProbeStore, "takeMessage" | "change">;
  destinations: Pick<DestinationStore, "isAnyBlocked">;
  queue: QueueDeps;
  mailHost: string;
  domains: Pick<MailDomains, "has">;
  /** What a client gets that asks for the mail host. */
  certificate(): OurCertificate;
}

export async function takeProbeMail(
  message: ScreenedMessage,
  deps: TakeProbeMailDeps,
): Promise<StageVerdict<ScreenedMessage>> {
  const { recipients } = message.transaction;
  const ids = new Set(recipients.flatMap((recipient) => (recipient.kind === "probe" ? [recipient.id] : [])));
  try {
    for (const id of ids) {
      const probe = await deps.probes.takeMessage(id);
      const deferral = probe === null ? null : await take(message, probe, deps);
      if (deferral !== null) return endWith(deferral);
    }
    return accept(message);
  } catch (thrown) {
    return endWith(replyForThrow(thrown));
  }
}

async function take(message: ScreenedMessage, probe: MailProbe, deps: TakeProbeMailDeps): Promise<SmtpReply | null> {
  const { envelope, wire } = message.transaction;
  if (envelope.envelopeFrom === "") {
    const report = readDeliveryReport(unstuff(wire));
    if (report?.hasFailed === true)
      await deps.probes.change(probe, (before) => withBounce(before, report.enhancedStatus));
    return null;
  }
  if (isToBeAnswered(probe, envelope.receivedAt)) return await takeFirst(message, probe, deps);
  if (isAutomatic(sourceOf(message))) return null;
  const judgement = readProbeReturn(unstuff(wire), probe);
  if (judgement !== null) await deps.probes.change(probe, (before) => withReturn(before, judgement));
  return null;
}

/** @returns a deferral when the answer can't be enqueued */
async function takeFirst(
  message: ScreenedMessage,
  probe: MailProbe,
  deps: TakeProbeMailDeps,
): Promise<SmtpReply | null> {
  const { transaction, mail } = message;
  const { envelopeFrom, receivedAt, authentication } = transaction.envelope;
  const refusal = await whyNoAnswer(message, deps);
  const arrival = {
    receivedAt,
    tlsVersion: mail.tls?.version ?? null,
    cipher: mail.tls?.cipher ?? null,
    certificate: await judgeCertificate(deps.certificate(), deps.mailHost, receivedAt),
    theirs: {
      spf: probeResult(authentication?.spf ?? ""),
      dkim: probeResult(authentication?.dkim ?? ""),
      dmarc: probeResult(authentication?.dmarc ?? ""),
    },
    refusal,
  };
  let isFirst = false;
  await deps.probes.change(probe, (before) => {
    isFirst = isToBeAnswered(before, receivedAt);
    return withArrival(before, arrival);
  });
  if (!isFirst || refusal !== null) return null;
  try {
    await answerProbe(deps.queue, probe, envelopeFrom);
  } catch (thrown) {
    await deps.probes.change(probe, withoutArrival);
    return replyForThrow(thrown);
  }
  // The outcome of its delivery says it, too.
  await deps.probes.change(probe, withAnswer).catch(() => null);
  return null;
}

/** No answer to a forged sender, to a program or to ourselves: no backscatter, and no loop. */
async function whyNoAnswer(
  message: ScreenedMessage,
  { domains, destinations }: TakeProbeMailDeps,
): Promise<string | null> {
  const { envelope, isOurs } = message.transaction;
  if (isOurs || domains.has(domainOf(envelope.envelopeFrom)))
    return "It came from a domain of this server: write from a mailbox elsewhere.";
  if (isAutomatic(sourceOf(message))) return "A program or a mailing list sent it, and those get no answer.";
  if (envelope.authentication === undefined)
    return "This server does not authenticate senders (KAUKE_AUTHENTICATION), so nothing proves who sent it.";
  if (!isSenderProven(message))
    return isDnsAtFault(envelope.authentication)
      ? "DNS did not say whether its sender's domain sent it, so the answer could go to somebody else: try again."
      : "Neither SPF nor DKIM nor DMARC proves that its sender's domain sent it, so the answer could go to somebody else.";
  if (await destinations.isAnyBlocked([envelope.envelopeFrom])) return "Its mailbox has blocked mail from this server.";
  return null;
}

/** The answer goes to MAIL FROM: SPF proves that; DKIM and DMARC do if it has the author's domain. */
function isSenderProven({ transaction: { envelope, wire } }: ScreenedMessage): boolean {
  const { envelopeFrom, authentication } = envelope;
  if (authentication?.spf === "pass") return true;
  if (authentication?.isAligned !== true) return false;
  const { domain, isPlain } = readShownAuthor({ raw: wire, envelopeFrom });
  return isPlain && organizationOf(domain) === organizationOf(asciiDomainOf(envelopeFrom));
}

const isDnsAtFault = ({ spf, dkim, dmarc }: MessageAuthentication) => [spf, dkim, dmarc].includes("temperror");

const organizationOf = (domain: string) => registrableDomain(domain) ?? domain;

const sourceOf = ({ transaction: { wire }, screened: { header } }: ScreenedMessage): HeaderSource => ({
  header: wire.subarray(0, header.end),
  fields: header.fields,
});

/** RFC 3834 §2 and the fields of mailing lists. */
function isAutomatic(source: HeaderSource): boolean {
  const { header, fields } = source;
  const precedence = firstValue(header, fields, "precedence")?.toLowerCase() ?? "";
  const isList = ["list-id", "list-unsubscribe", "list-post"].some((name) => findField(fields, name) !== null);
  return isList || readAutoSubmitted(source) !== null || ["bulk", "list", "junk"].includes(precedence);
}
