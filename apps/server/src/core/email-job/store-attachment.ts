/** Stores an uploaded file as it arrives, sealed, and never whole in memory. */
import { attachmentMessages } from "@kauke/contract";
import { bounds } from "../../limits/table.ts";
import { AppError, asAppError, notFound } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../take-limit.ts";
import { type EmailAttachment, largestAttachment } from "./email-attachment.ts";

export interface AttachmentUpload {
  userId: string;
  /** As announced; `null` when it is not known before the end. */
  sizeBytes: number | null;
  bytes: AsyncIterable<Uint8Array>;
}

type UploadDeps = Pick<
  CoreDeps,
  | "emailAttachments"
  | "bodies"
  | "spoolSpace"
  | "clock"
  | "random"
  | "rateLimits"
  | "limitRules"
  | "maxMessageBytes"
  | "uploadsInFlight"
>;

/** @throws AppError `too_large`, `spool_quota`, `rate_limited`, `spool_failed`, or what the stream throws */
export async function storeAttachment(deps: UploadDeps, upload: AttachmentUpload): Promise<EmailAttachment> {
  const { emailAttachments, bodies, clock, random, uploadsInFlight } = deps;
  const { userId } = upload;
  const most = largestAttachment(deps.maxMessageBytes);
  const announced = upload.sizeBytes ?? most;
  if (announced > most) throw tooLarge();
  await takeLimit(deps, "email_attachment", { userId });
  const leave = uploadsInFlight.enter(userId, announced);
  try {
    await refuseBeyondShare(deps, userId);
    const place = await deps.spoolSpace.reserve(announced, [{ userId, aliasId: null }]);
    const id = random.uuid();
    try {
      const sizeBytes = await putFile(bodies, { id, most, bytes: upload.bytes });
      const attachment = { id, userId, sizeBytes, createdAt: clock.now() };
      await emailAttachments.insert(attachment);
      place.stored();
      return attachment;
    } catch (thrown) {
      place.release();
      await bodies.delete(id).catch(() => {});
      throw thrown;
    }
  } finally {
    leave();
  }
}

const tooLarge = () =>
  new AppError("too_large", {
    message: attachmentMessages.tooLarge,
    errors: { attachments: [attachmentMessages.tooLarge] },
  });

async function putFile(
  bodies: UploadDeps["bodies"],
  { id, most, bytes }: { id: string; most: number; bytes: AsyncIterable<Uint8Array> },
): Promise<number> {
  let sizeBytes = 0;
  const counted = async function* () {
    for await (const chunk of bytes) {
      sizeBytes += chunk.length;
      if (sizeBytes > most) throw tooLarge();
      yield chunk;
    }
  };
  try {
    await bodies.putStream(id, counted());
    return sizeBytes;
  } catch (thrown) {
    // What the stream threw is the cause of a failed store.
    throw asAppError(Object(thrown).cause) ?? thrown;
  }
}

const { account, all, count } = bounds.attachments;

/** Above the bound of the server, an account may still hold an equal share, so the ones that hold most give way. */
async function refuseBeyondShare(
  { emailAttachments, uploadsInFlight, maxMessageBytes }: UploadDeps,
  userId: string,
): Promise<void> {
  const held = await emailAttachments.held(userId);
  const own = held.bytes + uploadsInFlight.bytesOf(userId);
  const isCrowded = held.allBytes + uploadsInFlight.bytes > all;
  const equal = all / Math.max(held.accounts, 1);
  const most = Math.min(account * maxMessageBytes, isCrowded ? equal : Number.POSITIVE_INFINITY);
  if (own > most || held.count + uploadsInFlight.countOf(userId) > count)
    throw new AppError("spool_quota", { message: attachmentMessages.shareFull });
}

/** @throws AppError `not_found` */
export async function deleteAttachment(
  { emailAttachments }: Pick<CoreDeps, "emailAttachments">,
  { userId, attachmentId }: { userId: string; attachmentId: string },
): Promise<void> {
  if ((await emailAttachments.delete(userId, [attachmentId])) === 0) throw notFound("Attachment not found");
}
