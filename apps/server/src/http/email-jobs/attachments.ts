/** Uploads of files: as slow as a client may be, in chunks, each stored before the next is read. */
import { attachmentMessages } from "@kauke/contract";
import { AppError, asAppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { deleteAttachment, storeAttachment } from "../../core/email-job/store-attachment.ts";
import { bounds } from "../../limits/table.ts";
import type { Handlers } from "../handler.ts";

export function emailAttachmentHandlers(deps: CoreDeps) {
  return {
    async uploadEmailAttachment({ userId, bytes, sizeBytes }) {
      if (bytes === null) throw new AppError("invalid", { message: attachmentMessages.empty });
      const stored = await storeAttachment(deps, { userId, sizeBytes, bytes: inTime(whole(bytes, sizeBytes)) });
      return { attachmentId: stored.id, sizeBytes: stored.sizeBytes };
    },
    async deleteEmailAttachment({ userId, params }) {
      await deleteAttachment(deps, { userId, ...params });
      return { message: "Attachment deleted" };
    },
  } satisfies Partial<Handlers>;
}

/** @throws AppError `invalid` when the client disconnects before the end of the file */
async function* whole(bytes: AsyncIterable<Uint8Array>, sizeBytes: number | null): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const chunk of bytes) {
      read += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw asAppError(error) ?? cutOff(error);
  }
  if (sizeBytes !== null && read !== sizeBytes) throw cutOff();
}

const cutOff = (cause?: unknown) => new AppError("invalid", { message: attachmentMessages.cutOff }, cause);

/** @throws AppError `invalid` when the client sends nothing for a while, or the file takes too long */
async function* inTime(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { idleMs, uploadMs } = bounds.attachments;
  const endsAt = performance.now() + uploadMs;
  const chunks = bytes[Symbol.asyncIterator]();
  for (;;) {
    const next = await before(chunks.next(), Math.min(idleMs, endsAt - performance.now()));
    if (next.done === true) return;
    yield next.value;
  }
}

async function before<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError("invalid", { message: attachmentMessages.tooSlow })), Math.max(ms, 0));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {});
  }
}
