/**
 * Negative control of the request recorder: a secret that a page sends is found wherever it is and however it is
 * encoded.
 */
import { gzipSync } from "node:zlib";
import type { BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { openVisit } from "./browser.ts";
import { recordRequests } from "./request-recorder.ts";
import { runSite } from "./site.ts";
import { usually } from "./variants.ts";

const site = runSite();
const secret = 'Žali "arkliai" šoka 7';

/** A page that is not checked for findings at the end: the server refuses some of the planted requests. */
async function openPage(): Promise<{ page: Page; context: BrowserContext }> {
  const visit = await openVisit(site.server.url);
  onTestFinished(() => visit.close());
  await visit.page.goto("/about");
  return visit;
}

interface Planted {
  path?: string;
  headers?: Record<string, string>;
  /** Body of the planted request, in base64. */
  body?: string;
}

const bodyOf = (bytes: string | Buffer): Planted => ({ body: Buffer.from(bytes as string).toString("base64") });

const planted: Readonly<Record<string, Planted>> = {
  "plain in the body": bodyOf(`first ${secret} last`),
  "a JSON string": bodyOf(JSON.stringify({ deep: [{ masterPassword: secret }] })),
  "JSON with escapes": bodyOf(
    [...secret]
      .map((letter) => (/[a-z0-9]/i.test(letter) ? letter : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`))
      .join(""),
  ),
  base64: bodyOf(Buffer.from(`x${secret} and more`).toString("base64")),
  base64url: bodyOf(Buffer.from(`xy${secret} and more`).toString("base64url")),
  hex: bodyOf(Buffer.from(secret).toString("hex")),
  "UTF-16LE": bodyOf(Buffer.from(secret, "utf16le")),
  backwards: bodyOf([...secret].reverse().join("")),
  gzip: bodyOf(gzipSync(JSON.stringify({ password: secret }))),
  "the address": { path: `/about?q=${encodeURIComponent(secret)}` },
  "the address, as a form writes it": { path: `/about?${new URLSearchParams({ q: secret }).toString()}` },
  "a header": { headers: { "x-note": Buffer.from(secret).toString("base64") } },
};

test.each(usually(Object.entries(planted), 0, 2, 3, 8, 9, 11))(
  "a secret that is sent as %s is found",
  async (_, { path = "/about", headers, body }) => {
    const { page, context } = await openPage();
    const recorder = recordRequests(context);
    await page.evaluate(
      ([url, head, base64]) =>
        fetch(url as string, {
          headers: head as Record<string, string>,
          ...(base64 === null
            ? {}
            : { method: "POST", body: Uint8Array.from(atob(base64 as string), (byte) => byte.charCodeAt(0)) }),
        }).then(() => {}),
      [path, headers ?? {}, body ?? null] as const,
    );
    expect(await recorder.find([secret])).not.toEqual([]);
  },
);

test("requests of a worker are recorded too", async () => {
  const { page, context } = await openPage();
  const recorder = recordRequests(context);
  const script = `fetch("/about", { method: "POST", body: ${JSON.stringify(secret)} }).then(() => postMessage("sent"));`;
  await context.route("**/assets/planted.js", (route) =>
    route.fulfill({ contentType: "text/javascript; charset=utf-8", body: script }),
  );
  await page.evaluate(`new Promise((done) => {
    const policy = trustedTypes.createPolicy("app-worker", { createScriptURL: (url) => url });
    new Worker(policy.createScriptURL("/assets/planted.js")).onmessage = done;
  }).then(() => {})`);
  expect(await recorder.find([secret])).not.toEqual([]);
});

test("a secret that was not sent is not found", async () => {
  const { page, context } = await openPage();
  const recorder = recordRequests(context);
  await page.evaluate(`fetch("/about", { method: "POST", body: "Žali arkliai" }).then(() => {})`);
  expect((await recorder.requests()).map(({ method }) => method)).toContain("POST");
  expect(await recorder.find([secret])).toEqual([]);
});
