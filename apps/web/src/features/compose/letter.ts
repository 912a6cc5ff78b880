/** A message while it is written, and what the server gets of it. */
import { type Body, emailJobMessages, limits, type RecipientKind, recipientKinds } from "@kauke/contract";
import { holdsPrivateKey } from "../../drafts/private-key.ts";
import { t } from "../../texts/texts.ts";
import { fileProblem, isUploading, type JobFile, type LetterFile } from "./attachments.ts";
import { isValid, letterAddresses, noRecipients, parseRecipients, type RecipientField, settled } from "./recipients.ts";

export interface Letter extends Readonly<Record<RecipientKind, RecipientField>> {
  /** Id of the alias; empty if none is chosen. */
  fromAlias: string;
  subject: string;
  body: string;
  /** Stored with the letter, so that one meant to be encrypted is never sent in plain text. */
  isEncrypted: boolean;
  /** Typed public keys by address; the key under `""` was typed before there was a recipient. */
  keys: Readonly<Record<string, string>>;
  files: readonly LetterFile[];
  /** When to send the letter; `null` for now. */
  scheduledAt: string | null;
}

export const emptyLetter: Letter = {
  fromAlias: "",
  to: noRecipients,
  cc: noRecipients,
  bcc: noRecipients,
  subject: "",
  body: "",
  isEncrypted: false,
  keys: {},
  files: [],
  scheduledAt: null,
};

/** What is stored of a letter: no private key that was pasted where a public one belongs. */
export function storedOf(letter: Letter): Letter {
  const keys = Object.entries(letter.keys).filter(([, text]) => !holdsPrivateKey(text));
  return { ...letter, keys: Object.fromEntries(keys) };
}

/** A letter without a word in it is no draft. */
export function isBlank({ subject, body, keys, ...letter }: Letter): boolean {
  const isEmpty = ({ entries, text }: RecipientField) => entries.length === 0 && text.trim() === "";
  if (letter.files.length > 0) return false;
  return (
    [subject, body, ...Object.values(keys)].every((text) => text.trim() === "") &&
    recipientKinds.every((kind) => isEmpty(letter[kind]))
  );
}

/** With the text of its address fields made into recipients. */
export function withRecipientsSettled(letter: Letter): Letter {
  const [to, cc, bcc] = recipientKinds.map((kind) => settled(letter[kind]));
  return { ...letter, to: to ?? letter.to, cc: cc ?? letter.cc, bcc: bcc ?? letter.bcc };
}

export type LetterField = "fromAlias" | RecipientKind | "subject" | "body" | "attachments";
export type Problems = Partial<Record<LetterField, string>>;

/** The fields in the order in which the form shows them. */
export const letterFields: readonly LetterField[] = ["fromAlias", ...recipientKinds, "subject", "body", "attachments"];

/** @param letter with settled recipients */
export function problemsOf(letter: Letter): Problems {
  const problems: Problems = {};
  if (letter.fromAlias === "") problems.fromAlias = emailJobMessages.senderRequired;
  for (const kind of recipientKinds) {
    const problem = recipientProblem(letter[kind]);
    if (problem !== null) problems[kind] = problem;
  }
  if (letter.isEncrypted && letter.bcc.entries.length > 0 && problems.bcc === undefined)
    problems.bcc = emailJobMessages.bccEncrypted;
  const count = letterAddresses(letter).length;
  // The server wants an address in To, also with others in Cc or Bcc.
  if (letter.to.entries.length === 0 && problems.to === undefined) problems.to = emailJobMessages.toInvalid;
  if (count > limits.composeRecipientsMax) problems.to = emailJobMessages.recipientsMany;
  if (letter.subject.trim() === "") problems.subject = emailJobMessages.subjectRequired;
  else if (letter.subject.length > limits.subjectMax) problems.subject = emailJobMessages.subjectLong;
  if (letter.body.trim() === "") problems.body = t("Message body is required");
  else if (new TextEncoder().encode(letter.body).length > limits.messageBodyMaxBytes)
    problems.body = emailJobMessages.bodyLong;
  const problem = attachmentProblem(letter);
  if (problem !== null) problems.attachments = problem;
  return problems;
}

function attachmentProblem({ files, isEncrypted }: Letter): string | null {
  if (files.some((file) => fileProblem(file, isEncrypted) !== null))
    return t("Remove or attach again what could not be sent");
  // Without an id a file of a plain letter would be left out.
  const isMissing = (file: LetterFile) => isUploading(file) || (!isEncrypted && file.attachmentId === null);
  return files.some(isMissing) ? t("Please wait until the files are uploaded") : null;
}

/** Names the address, unless it is the only one, which stands in the field. */
function recipientProblem({ entries, text }: RecipientField): string | null {
  const invalid = entries.find((entry) => !isValid(entry));
  if (invalid !== undefined) return `${emailJobMessages.toInvalid}: ${invalid.address}`;
  return parseRecipients(text).length > 0 ? emailJobMessages.toInvalid : null;
}

export interface EncryptedText {
  body: string;
  /** One or more. */
  publicKeys: readonly string[];
}

/** @param encrypted `null` to send the typed text */
export function jobRequest(
  letter: Letter,
  encrypted: EncryptedText | null,
  attachments: readonly JobFile[] = [],
): Body<"createEmailJob"> {
  const { fromAlias, subject, body, scheduledAt } = letter;
  const later = scheduledAt === null ? {} : { scheduledAt };
  const files = attachments.length === 0 ? {} : { attachments: [...attachments] };
  const fields = {
    ...recipientsOf(letter),
    subject: subject.trim(),
    fromAliasId: fromAlias,
    priority: 0,
    ...files,
    ...later,
  };
  if (encrypted === null) return { ...fields, body, useEncryption: false };
  const [recipientPublicKey, ...others] = encrypted.publicKeys;
  const keys = others.length === 0 ? { recipientPublicKey } : { recipientPublicKey, recipientPublicKeys: others };
  return { ...fields, body: encrypted.body, ...keys, useEncryption: true };
}

/** A single recipient is a text, as the specification has it. */
function recipientsOf(letter: Letter): Pick<Body<"createEmailJob">, "to" | "cc" | "bcc"> {
  const [to, cc, bcc] = recipientKinds.map((kind) => letter[kind].entries.map(({ address }) => address));
  const [only = ""] = to ?? [];
  const others = { ...(cc?.length ? { cc } : {}), ...(bcc?.length ? { bcc } : {}) };
  return to?.length === 1 ? { to: only, ...others } : { to: to ?? [], ...others };
}

/** The letter's field for a field of the request; `null` if it has no such field. */
export function letterField(requestField: string): LetterField | null {
  if (requestField === "fromAliasId") return "fromAlias";
  return letterFields.find((field) => field === requestField) ?? null;
}

/** A letter as lists show it. */
export const titleOf = ({ subject }: Letter): string =>
  subject.trim() === "" ? t("Message without a subject") : subject;

/** A stored draft may be of an older version of this page. */
export const asLetter = (stored: Partial<Letter>): Letter => ({ ...emptyLetter, ...stored });
