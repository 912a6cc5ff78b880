import { trustedWorkerUrl } from "../../../vault/worker-url.ts";
// oxlint-disable-next-line import/default -- Vite exports the URL of the built script here
import workerUrl from "./mail.worker.ts?worker&url";
import type { ParsedMail } from "./parsed-mail.ts";

const TIMEOUT_MS = 10_000;

/** @returns `null` if parsing fails or takes more than ten seconds; the message can still be saved */
export async function readMail(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<ParsedMail | null> {
  const worker = new Worker(trustedWorkerUrl(workerUrl), { type: "module" });
  const { promise, resolve } = Promise.withResolvers<ParsedMail | null>();
  const giveUp = () => resolve(null);
  const timer = setTimeout(giveUp, TIMEOUT_MS);
  signal.addEventListener("abort", giveUp);
  worker.onerror = giveUp;
  worker.onmessageerror = giveUp;
  worker.onmessage = ({ data }: MessageEvent<ParsedMail | null>) => resolve(data);
  // The bytes are copied, so the page keeps its own to save.
  worker.postMessage(bytes.buffer);
  try {
    return await promise;
  } finally {
    worker.terminate();
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}

/** Only this module uses the Trusted Types policy `mail-frame`, which accepts sandboxed frames only. */
interface HtmlPolicy {
  createHTML(html: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy;
}

/** The frame's policy, in addition to the inherited one: not even images of our own origin. */
const framePolicy = "default-src 'none'; img-src data:";

let policy: HtmlPolicy | null = null;

/** @param html already cleaned @throws TypeError unless the sandbox forbids scripts and our origin */
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
