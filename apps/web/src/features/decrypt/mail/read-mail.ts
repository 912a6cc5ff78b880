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

/**
 * Shows a message's HTML in a frame that can neither run scripts nor make requests. Only this module uses the Trusted
 * Types policy `mail-frame`, and it accepts sandboxed frames only.
 */
interface HtmlPolicy {
  createHTML(html: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy;
}

/**
 * Content Security Policy of the frame, in addition to the page's policy, which the frame inherits: it forbids even
 * images of our own origin.
 */
const framePolicy = "default-src 'none'; img-src data:";

let policy: HtmlPolicy | null = null;

/**
 * Fills a sandboxed frame.
 * @param html already cleaned; see clean-mail-html.ts
 * @throws TypeError if the frame has no sandbox, or its sandbox allows scripts or our origin
 */
export function fillFrame(frame: HTMLIFrameElement, html: string): void {
  const { sandbox } = frame;
  if (!frame.hasAttribute("sandbox") || sandbox.contains("allow-scripts") || sandbox.contains("allow-same-origin"))
    throw new TypeError("not a sandboxed frame");
  const rules: HtmlPolicy = { createHTML: (text) => text };
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("mail-frame", rules) ?? rules;
  frame.srcdoc = policy.createHTML(
    `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${framePolicy}">` +
      `<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light"></head>` +
      `<body><font face="system-ui, sans-serif">${html}</font></body></html>`,
  );
}
