/** Parses a message in a worker, so that the page can stop one that takes too long. */
import { parseMail } from "./parsed-mail.ts";

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data: bytes }: MessageEvent<ArrayBuffer>) => {
  try {
    const mail = await parseMail(bytes);
    scope.postMessage(mail, [...new Set(mail.files.map((file) => file.bytes.buffer))]);
  } catch {
    scope.postMessage(null);
  }
};
