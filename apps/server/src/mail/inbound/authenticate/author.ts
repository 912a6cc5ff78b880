/** The author that mail programs show, whether DMARC proves it, and whether the author wrote to this envelope. */

import {
  addressesOf,
  asciiDomainOf,
  comparableDomain,
  countFields,
  DmarcEvaluation,
  type DmarcPolicy,
  domainOf,
  type InstructionProof,
  MailSyntaxError,
  type RawField,
  readHeader,
  type Vouchers,
} from "@kauke/mail-rfc";
import type { AuthResult } from "../../../core/message/message.ts";
import { registrableDomain } from "../../../limits/party.ts";
import type { DnsResult } from "../../dns/resolver.ts";
import type { AuthorInstruction } from "../../transaction.ts";
import type { MessageDns } from "./message-dns.ts";

export interface ReceivedMessage {
  raw: Buffer;
  envelopeFrom: string;
}

export interface ShownAuthor {
  /** Domain of the (first) author in A-labels; empty when there is none. */
  domain: string;
  fromFields: number;
  recipientFields: number;
  /** Every mail program displays this author: one From field at most, strictly RFC 5322. Other fields prove nothing. */
  isPlain: boolean;
  isSingle: boolean;
}

const PLAIN_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+$/;

/** A header above the limits of `screen` has no author; without an address in From, the envelope sender is it. */
export function readShownAuthor({ raw, envelopeFrom }: ReceivedMessage): ShownAuthor {
  try {
    const { fields } = readHeader(raw);
    const { mailboxes, looseCount, isCut } = addressesOf({ header: raw, fields }, "from");
    const fromFields = countFields(fields, "from");
    const isPlain = fromFields <= 1 && looseCount === 0 && !isCut;
    const recipientFields = countFields(fields, "to") + countFields(fields, "cc");
    const isSingle = isPlain && fromFields === 1 && mailboxes.length === 1;
    const domain = authorDomain(mailboxes[0]?.address ?? envelopeFrom);
    return { domain, fromFields, recipientFields, isPlain, isSingle };
  } catch (thrown) {
    if (!(thrown instanceof MailSyntaxError)) throw thrown;
    const unknown = { fromFields: Number.POSITIVE_INFINITY, recipientFields: Number.POSITIVE_INFINITY };
    return { domain: authorDomain(envelopeFrom), ...unknown, isPlain: false, isSingle: false };
  }
}

/** Whether signatures cover the displayed author only: this parse of the header has no second From field. */
export function hasSameFrom({ fromFields }: ShownAuthor, fields: readonly RawField[]): boolean {
  return fromFields <= 1 && fields.filter(({ name }) => name === "from").length === fromFields;
}

/** Whether signatures cover the displayed recipients: this parse has as many To and Cc fields. */
export function hasSameRecipients({ recipientFields }: ShownAuthor, fields: readonly RawField[]): boolean {
  return fields.filter(({ name }) => name === "to" || name === "cc").length === recipientFields;
}

function authorDomain(address: string): string {
  const domain = domainOf(address);
  return PLAIN_DOMAIN.test(domain) ? domain : asciiDomainOf(address);
}

export interface DmarcVerdict {
  /** `temperror`: the DMARC record or a look-up for alignment failed temporarily. */
  result: "pass" | "fail" | "none" | "temperror";
  isProven: boolean;
  applied: DmarcPolicy | null;
}

type Dns = Pick<MessageDns, "find">;

const nobody: Vouchers = { spf: [], dkim: [] };

/** DMARC (RFC 7489, RFC 9989): a record alone decides; without one, relaxed alignment by the public suffix list. */
export class DmarcJudge {
  readonly #author: string;
  readonly #evaluation: DmarcEvaluation;

  /** @param author domain in A-labels; empty when there is none */
  constructor(author: string, dns: Dns) {
    this.#author = author;
    this.#evaluation = new DmarcEvaluation(author, {
      txt: async (name) => textsOf(await dns.find(name, "TXT")),
      exists: async (name) => existsBy(await dns.find(name, "A")),
    });
  }

  async policy(): Promise<DmarcPolicy | "unknown"> {
    const { result, policy } = await this.#evaluation.evaluate(nobody);
    return result === "temperror" ? "unknown" : (policy ?? "none");
  }

  async judge(vouchers: Vouchers): Promise<DmarcVerdict> {
    const { result, policy } = await this.#evaluation.evaluate(vouchers);
    const isAligned = result === "none" && this.#isAlignedWithoutRecord(vouchers);
    return { result, isProven: result === "pass" || isAligned, applied: result === "fail" ? policy : null };
  }

  #isAlignedWithoutRecord({ spf, dkim }: Vouchers): boolean {
    const author = comparableDomain(this.#author);
    const others = [...spf, ...dkim].map(comparableDomain);
    if (author === "" || others.length === 0) return false;
    const organizationOf = (domain: string) => registrableDomain(domain) ?? domain;
    return others.some((domain) => organizationOf(domain) === organizationOf(author));
  }
}

function textsOf(result: DnsResult<string>): readonly string[] {
  if (result.kind === "failed") throw new Error("look-up failed");
  return result.kind === "found" ? result.records : [];
}

function existsBy({ kind }: DnsResult<string>): boolean {
  if (kind === "failed") throw new Error("look-up failed");
  return kind !== "no_name";
}

interface DomainCheck {
  result: AuthResult;
  domain: string;
}

interface Checks {
  shown: ShownAuthor;
  spf: DomainCheck | null;
  dkim: readonly (DomainCheck & { instruction?: InstructionProof })[] | null;
  /** The author is unproven because a check did not finish. */
  isUnfinished: boolean;
}

/** Whether the author sent the message to this envelope: whoever has a signed message can send it again, to anybody. */
export async function readInstruction(
  { shown, spf, dkim, isUnfinished }: Checks,
  judge: (vouchers: Vouchers) => Promise<DmarcVerdict>,
): Promise<AuthorInstruction> {
  if (!shown.isPlain) return { isByEnvelope: false, signatures: [], unread: [], isUnfinished };
  const isByEnvelope = spf?.result === "pass" && (await judge({ spf: [spf.domain], dkim: [] })).isProven;
  const signatures: InstructionProof[] = [];
  const unread: InstructionProof[] = [];
  for (const { result, instruction, domain } of dkim ?? [])
    if (instruction !== undefined && (await judge({ spf: [], dkim: [domain] })).isProven)
      (result === "pass" ? signatures : unread).push(instruction);
  if (isByEnvelope) return { isByEnvelope, signatures, unread, isUnfinished: false };
  // A check that threw could have passed for the author's own domain.
  const own = { result: "temperror", domain: shown.domain } as const;
  const possible = await judge({
    spf: [spf ?? own].filter(({ result }) => result === "temperror" || result === "pass").map(({ domain }) => domain),
    dkim: (dkim ?? [own]).filter(({ result }) => result === "temperror").map(({ domain }) => domain),
  });
  return {
    isByEnvelope,
    signatures,
    unread,
    isUnfinished: isUnfinished || possible.isProven || possible.result === "temperror",
  };
}
