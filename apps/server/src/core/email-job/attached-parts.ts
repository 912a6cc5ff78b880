/**
 * Files in a message that is composed: checked, searched by the leak guard, and written as its parts. A message with
 * files is in memory once, encoded.
 */
import { attachmentMessages } from "@kauke/contract";
import { attachmentHeader, attachmentName, attachmentType, Base64Lines, filesFrame } from "@kauke/mail-rfc";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { FoundLeak } from "../leak-guard.ts";
import { encodedBytes } from "./email-attachment.ts";

export interface AttachmentToSend {
  id: string;
  name: string;
  type: string;
}

/** A file as it is sent, without the separator before it. */
export interface AttachedPart {
  name: string;
  chunks: readonly Buffer[];
}

type FindDeps = Pick<CoreDeps, "emailAttachments" | "maxMessageBytes">;

/** Octets of a part besides its content: separator, header with the longest name, line breaks. */
const PART_BYTES = 3072;

/** @param otherBytes of the message as sent, without its files @throws AppError `invalid`, `message_too_large` */
export async function checkAttachments(
  { emailAttachments, maxMessageBytes }: FindDeps,
  { userId, attachments, otherBytes }: { userId: string; attachments: readonly AttachmentToSend[]; otherBytes: number },
): Promise<void> {
  const ids = attachments.map(({ id }) => id);
  const found = new Map((await emailAttachments.find(userId, ids)).map((one) => [one.id, one]));
  let total = otherBytes;
  for (const id of ids) {
    const attachment = found.get(id);
    if (attachment === undefined) throw fieldError("attachments", attachmentMessages.gone);
    total += encodedBytes(attachment.sizeBytes) + PART_BYTES;
  }
  if (total <= maxMessageBytes) return;
  const message = attachmentMessages.together;
  throw new AppError("message_too_large", { message, errors: { attachments: [message] } });
}

const AGE_STARTS = ["age-encryption.org/v1", "-----BEGIN AGE ENCRYPTED FILE-----"];

/** @param mustBeEncrypted whether a file that is no age file is refused @throws AppError `invalid`, `spool_failed` */
export async function readParts(
  { bodies }: Pick<CoreDeps, "bodies">,
  attachments: readonly AttachmentToSend[],
  mustBeEncrypted: boolean,
): Promise<AttachedPart[]> {
  const parts: AttachedPart[] = [];
  for (const { id, name: given, type } of attachments) {
    const name = attachmentName(given);
    const chunks = [attachmentHeader({ name, type: attachmentType(type) })];
    const lines = new Base64Lines();
    let isFirst = true;
    for await (const chunk of bodies.read(id)) {
      if (
        isFirst &&
        mustBeEncrypted &&
        !AGE_STARTS.some((start) => chunk.subarray(0, start.length).equals(Buffer.from(start)))
      )
        throw fieldError("attachments", `${name}: ${attachmentMessages.plain}`);
      isFirst = false;
      chunks.push(lines.push(chunk));
    }
    chunks.push(lines.end());
    parts.push({ name, chunks });
  }
  return parts;
}

const guardFrame = filesFrame("=_files");

/** Searches names and contents, but no recipients: a message may go to the mailbox itself. @throws AppError `invalid` */
export async function guardParts(
  { leakGuard }: Pick<CoreDeps, "leakGuard">,
  parts: readonly AttachedPart[],
  { userId, mailboxes }: { userId: string; mailboxes: readonly string[] },
): Promise<void> {
  const { start, separator, end } = guardFrame;
  const chunks = [start, ...parts.flatMap((part) => [separator, ...part.chunks]), end];
  const leak = await leakGuard.search({ userId, mailboxes, content: { kind: "message", chunks } });
  if (leak === null) return;
  const text = leak.leak === "address" ? attachmentMessages.leaks : attachmentMessages.unsearched;
  const name = nameOf(leak, parts);
  throw fieldError("attachments", name === undefined ? text : `${name}: ${text}`);
}

/** The first number of a part's place is that of the file. A name that leaks itself is said, too: its owner typed it. */
function nameOf({ place }: FoundLeak, parts: readonly AttachedPart[]): string | undefined {
  return parts[Number(place.part.split(".")[0]) - 1]?.name;
}
