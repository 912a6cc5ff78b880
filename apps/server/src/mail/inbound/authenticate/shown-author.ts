/** Reads the author that mail programs display, and whether all of them display the same one. */
import {
  addressesOf,
  asciiDomainOf,
  countFields,
  domainOf,
  MailSyntaxError,
  type RawField,
  readHeader,
} from "@kauke/mail-rfc";

export interface ReceivedMessage {
  /** Message without dot-stuffing. */
  raw: Buffer;
  envelopeFrom: string;
}

export interface ShownAuthor {
  /** Domain of the author's address, in A-labels; empty when there is none. Of several authors the first counts. */
  domain: string;
  fromFields: number;
  /** Number of To and Cc fields. */
  recipientFields: number;
  /**
   * Whether every mail program displays this author: at most one From field, which contains nothing that RFC 5322 does
   * not allow. Any other From proves nothing, since a mail program may display another of its addresses.
   */
  isPlain: boolean;
  /** Whether there is a plain From field that names exactly one author. */
  isSingle: boolean;
}

/** Matches a domain that needs no conversion to A-labels. */
const PLAIN_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+$/;

/**
 * Reads the displayed author. A header beyond the limits, which `screen` rejects, has none, and signatures are not
 * checked. Without an address in From the envelope sender counts as the author.
 */
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

/**
 * Whether signatures cover the displayed author. They may cover another if there is a second From field, or if
 * `fields`, which are split in another way than for display, contain a further one.
 */
export function hasSameFrom({ fromFields }: ShownAuthor, fields: readonly RawField[]): boolean {
  return fromFields <= 1 && fields.filter(({ name }) => name === "from").length === fromFields;
}

/**
 * Whether `fields`, which are split in another way than for display, contain the same number of To and Cc fields.
 * Otherwise a signature may cover other recipients than those that are read from the header.
 */
export function hasSameRecipients({ recipientFields }: ShownAuthor, fields: readonly RawField[]): boolean {
  return fields.filter(({ name }) => name === "to" || name === "cc").length === recipientFields;
}

function authorDomain(address: string): string {
  const domain = domainOf(address);
  return PLAIN_DOMAIN.test(domain) ? domain : asciiDomainOf(address);
}
