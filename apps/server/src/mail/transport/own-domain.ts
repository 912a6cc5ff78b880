/** Mail for our own domains goes directly to the inbound path of this process. */
import { asciiDomainOf, domainOf, MailSyntaxError, parseAddress, splitAddress } from "@kauke/mail-rfc";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import type { MemoryBudget } from "../../limits/bytes.ts";
import { classifyLoss, classifyReply, refused, type SmtpStage, taken } from "../classify-reply.ts";
import { replyFor, type SmtpReply } from "../reply.ts";
import type { MxHandlers } from "../smtp/session-handlers.ts";
import { type MailTransport, type OutgoingMail, outcomeOnly } from "./transport.ts";

export interface OwnDomainParts {
  inbound: Pick<MxHandlers, "resolve" | "receive">;
  domains: Pick<MailDomains, "has">;
  /** With a forwarding provider, which knows the aliases but no reply addresses; mail to aliases goes to it. */
  onlyReplies: boolean;
  /** For the Received field, since this mail has no client. */
  mailHost: string;
  /** Budget of incoming messages, in which this one is counted a second time, as one buffer. */
  budget: Pick<MemoryBudget, "take" | "give">;
}

const LOOPBACK = "127.0.0.1";

/** @param outside transport for all other domains */
export function ownDomainTransport(outside: MailTransport, parts: OwnDomainParts): MailTransport {
  return {
    async send(mail, attempt) {
      // Mail that a provider has reaches the alias there, even if our own engine runs by now.
      const isOurs = mail.lastFailure !== "at_provider" && parts.domains.has(domainOf(mail.rcptTo));
      const outcome = isOurs ? await reenterInbound(mail, parts) : null;
      return outcome === null ? await outside.send(mail, attempt) : outcomeOnly(outcome);
    },
    close: (graceMs) => outside.close(graceMs),
  };
}

/** Passes the message through our own MX. @returns its reply as an outcome; `null` when the message goes outside */
async function reenterInbound(mail: OutgoingMail, parts: OwnDomainParts): Promise<DeliveryOutcome | null> {
  const path = pathOf(`${splitAddress(mail.rcptTo).local}@${asciiDomainOf(mail.rcptTo)}`);
  if (path === null) return refused("mailbox_unknown", "5.1.3");
  const { envelopeFrom, sizeBytes, eightBit, smtpUtf8 } = mail;
  const verdict = await parts.inbound.resolve(path, envelopeFrom === "");
  const isReply = verdict.verdict === "accept" && verdict.value.kind === "reply";
  if (parts.onlyReplies && !isReply) return null;
  if (verdict.verdict === "discard") return taken;
  if (verdict.verdict !== "accept") return outcomeOf(replyFor(verdict.code), "rcpt");
  const wire = mail.wire();
  if (wire === null) return classifyLoss("aborted");
  if (!parts.budget.take(sizeBytes)) return outcomeOf(replyFor("memory_budget"), "body");
  try {
    const reply = await parts.inbound.receive({
      mailFrom: { envelopeFrom, sizeBytes, eightBit, smtpUtf8 },
      recipients: [verdict.value],
      wire: Buffer.concat(wire),
      helo: parts.mailHost,
      esmtp: true,
      secure: true,
      clientAddress: LOOPBACK,
      isOurs: true,
    });
    return outcomeOf(reply, "body");
  } finally {
    parts.budget.give(sizeBytes);
  }
}

function pathOf(address: string) {
  try {
    return parseAddress(address);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}

function outcomeOf({ code, enhancedStatus }: SmtpReply, stage: SmtpStage): DeliveryOutcome {
  return classifyReply({ code, enhancedStatus, lines: [] }, stage);
}
