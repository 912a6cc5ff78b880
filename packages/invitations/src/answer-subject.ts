/** Replaces the owner's mailbox by the alias in the subject that a calendar program gave an answer to an invitation. */

import {
  decodeEncodedWords,
  fieldTextBytes,
  fieldValue,
  findField,
  formatTextField,
  type MailboxOwner,
  OWN,
  OwnAddresses,
  readHeader,
} from "@kauke/mail-rfc";

/** What calendar programs write in an answer to an invitation. In the texts `OWN` stands for the owner's mailbox. */
export interface AnswerWording {
  /** Whether a text is a program's sentence about the owner's answer. */
  isSentence(text: string): boolean;
  /** Whether a subject is a program's. */
  isSubject(text: string): boolean;
  /** Replaces the mailbox by the alias in the lines of a body that a program wrote. */
  inBody(message: { header: Buffer; body: Buffer }, owner: MailboxOwner): { body: Buffer };
}

/** Maximum UTF-16 units of a subject that is read. */
const SUBJECT_MAX = 2000;

/**
 * @param header the message's header block, without the blank line
 * @returns the same buffer when the subject is not a program's, or does not name the owner
 */
export function withAliasInSubject(header: Buffer, owner: MailboxOwner, { isSubject }: AnswerWording): Buffer {
  const { fields } = readHeader(header);
  const field = findField(fields, "subject");
  if (field === null) return header;
  const raw = fieldValue(header, field);
  const subject = raw.length > SUBJECT_MAX ? "" : decodeEncodedWords(raw);
  const own = new OwnAddresses(owner);
  const marked = own.marked(subject, OWN);
  if (!marked.includes(OWN) || !isSubject(marked)) return header;
  const written = fieldTextBytes(formatTextField("Subject", own.marked(subject, owner.aliasAddress)));
  return Buffer.concat([header.subarray(0, field.start), written, header.subarray(field.end)]);
}
