/** Parses a decrypted message in a worker of its own, which is terminated when it is done, times out or is aborted. */
import { trustedWorkerUrl } from "../../../vault/worker-url.ts";
// oxlint-disable-next-line import/default -- Vite exports the URL of the built script here
import workerUrl from "./mail.worker.ts?worker&url";
import type { ParsedMail } from "./parsed-mail.ts";

const TIMEOUT_MS = 10_000;

/**
 * Parses a decrypted message.
 * @returns `null` if parsing fails, is aborted or takes more than ten seconds; the message can still be saved
 */
export async function readMail(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<ParsedMail | null> {
  const worker = new Worker(trustedWorkerUrl(workerUrl), { type: "module" });
  const { promise, resolve } = Promise.withResolvers<ParsedMail | null>();
  const giveUp = () => resolve(null);
  const timer = setTimeout(giveUp, TIMEOUT_MS);
  signal.addEventListener("abort", giveUp);
  worker.onerror = giveUp;
  worker.onmessageerror = giveUp;
  worker.onmessage = ({ data }: MessageEvent<ParsedMail | null>) => resolve(data);
  // `postMessage` copies the buffer, so the page keeps its own to save.
  worker.postMessage(bytes.buffer);
  try {
    return await promise;
  } finally {
    worker.terminate();
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
