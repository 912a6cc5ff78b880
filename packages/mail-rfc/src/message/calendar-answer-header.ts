/** Replaces the owner's mailbox by the alias in the subject that a calendar program gave an answer to an invitation. */
import { decodeEncodedWords } from "../header/encoded-word.ts";
import { fieldTextBytes } from "../header/header-field.ts";
import { fieldValue, findField, readHeader } from "../header/headers.ts";
import { formatTextField } from "../header/text-field.ts";
import { OWN } from "../quote-lines/attribution.ts";
import { isAnswerSubject } from "../quote-lines/calendar-answer.ts";
import { OwnAddresses, type QuoteOwner } from "../quote-lines/own-addresses.ts";

/** Maximum UTF-16 units of a subject that is read. */
const SUBJECT_MAX = 2000;

/**
 * @param header the message's header block, without the blank line
 * @returns the same buffer when the subject is not a program's, or does not name the owner
 */
export function withAliasInSubject(header: Buffer, owner: QuoteOwner): Buffer {
  const { fields } = readHeader(header);
  const field = findField(fields, "subject");
  if (field === null) return header;
  const raw = fieldValue(header, field);
  const subject = raw.length > SUBJECT_MAX ? "" : decodeEncodedWords(raw);
  const own = new OwnAddresses(owner);
  const marked = own.marked(subject, OWN);
  if (!marked.includes(OWN) || !isAnswerSubject(marked)) return header;
  const written = fieldTextBytes(formatTextField("Subject", own.marked(subject, owner.aliasAddress)));
  return Buffer.concat([header.subarray(0, field.start), written, header.subarray(field.end)]);
}
