/** Negative control of visits: everything that a visit is watched for is found when planted, and fails the test. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openVisit, type Visit } from "./browser.ts";
import { seeRequestsDone } from "./requests-done.ts";
import { runSite } from "./site.ts";
import type { FindingKind } from "./watch.ts";

const site = runSite();

/** Responds with a page of the server's origin that contains the planted HTML. */
async function plant(visit: Visit, html: string, headers: Record<string, string> = {}): Promise<void> {
  const body = `<!doctype html><title>Planted</title><h1>Planted</h1>${html}`;
  await visit.context.route("**/planted", (route) => route.fulfill({ contentType: "text/html", headers, body }));
  await visit.page.goto("/planted", { waitUntil: "load" });
}

/** A visit that is not checked at the end of the test, unlike those of `site.visit`. */
async function unchecked(): Promise<Visit> {
  const visit = await openVisit(site.server.url);
  onTestFinished(() => visit.close());
  return visit;
}

async function kindsFound(visit: Visit, html: string, headers?: Record<string, string>): Promise<FindingKind[]> {
  await plant(visit, html, headers);
  await expect.poll(async () => (await visit.findings()).length).toBeGreaterThan(0);
  return (await visit.findings()).map(({ kind }) => kind);
}

/** Starts another server on this machine that answers everything, so that only the rule about origins can fail. */
async function otherOrigin(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "image/svg+xml" }).end());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("an error on the console is found", async () => {
  const found = await kindsFound(await unchecked(), '<script>console.error("planted")</script>');
  expect(found).toEqual(["console error"]);
});

test("an uncaught exception is found", async () => {
  expect(await kindsFound(await unchecked(), '<script>throw new Error("planted")</script>')).toContain("page error");
});

test("an unhandled rejection is found", async () => {
  const found = await kindsFound(await unchecked(), '<script>Promise.reject(new Error("planted"))</script>');
  expect(found).toContain("page error");
});

test("a violation of the content security policy is found", async () => {
  const policy = { "content-security-policy": "script-src 'self'" };
  const found = await kindsFound(await unchecked(), "<script>document.title = 1</script>", policy);
  expect(found).toContain("CSP violation");
});

test("the server's own policy is in force: an inline style is refused and found", async () => {
  const visit = await unchecked();
  await visit.page.goto("/home");
  await visit.page.evaluate(
    "document.body.append(Object.assign(document.createElement('style'), { textContent: 'a{}' }))",
  );
  await expect.poll(async () => (await visit.findings()).map(({ kind }) => kind)).toContain("CSP violation");
});

test("a request that fails is found", async () => {
  const visit = await unchecked();
  await visit.context.route("**/broken.png", (route) => route.abort("connectionreset"));
  expect(await kindsFound(visit, '<img src="/broken.png">')).toContain("failed request");
});

test("an unexpected response of 4xx is found", async () => {
  expect(await kindsFound(await unchecked(), '<img src="/missing.png">')).toContain("refused request");
});

test("a request to another origin is found", async () => {
  const visit = await unchecked();
  const found = await kindsFound(visit, `<img src="${await otherOrigin()}/pixel.svg">`);
  expect(found).toContain("other origin");
});

test("an expected 4xx and the browser's own message about it are not findings", async () => {
  const visit = await site.visit();
  visit.expectRefusal(404, "/missing.png");
  await plant(visit, '<img src="/missing.png">');
  expect(await visit.findings()).toEqual([]);
});

test("a request in flight at a sign-out may be refused; one begun after it that is refused is found", async () => {
  const visit = await unchecked();
  const { page, context } = visit;
  const [isBegun, isSignedOut] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await context.route("**/api/auth/logout", (route) => route.fulfill({ json: {} }).then(isSignedOut.resolve));
  await context.route("**/api/early", (route) => {
    isBegun.resolve();
    return isSignedOut.promise.then(() => route.fulfill({ status: 401 }));
  });
  await context.route("**/api/late", (route) => route.fulfill({ status: 401 }));
  await plant(visit, "");
  const early = page.evaluate(`fetch("/api/early").then(() => {})`);
  await isBegun.promise;
  await page.evaluate(`fetch("/api/auth/logout", { method: "POST" }).then(() => {})`);
  await early;
  await seeRequestsDone(page);
  expect(await visit.findings()).toEqual([]);
  await page.evaluate(`fetch("/api/late").then(() => {})`);
  await expect.poll(async () => (await visit.findings()).map(({ kind }) => kind)).toContain("refused request");
});

test("an expected refusal that did not happen is found", async () => {
  const visit = await unchecked();
  visit.expectRefusal(404, "/missing.png");
  await plant(visit, "");
  expect(await visit.findings()).toEqual([{ kind: "not needed", text: "404 /missing.png" }]);
});

test("a finding fails expectClean", async () => {
  const visit = await unchecked();
  await plant(visit, '<script>console.error("planted")</script>');
  await expect(visit.expectClean()).rejects.toThrow("console error: planted");
});

test.fails("a finding fails the test of the visit even if the test does not check", async () => {
  const visit = await site.visit();
  await plant(visit, '<script>console.error("planted")</script>');
  await visit.page.getByRole("heading", { name: "Planted" }).waitFor();
});

test("a healthy page has no findings", async () => {
  const visit = await site.visit();
  await visit.page.goto("/home");
  await visit.page.getByRole("heading", { level: 1 }).waitFor();
  expect(await visit.findings()).toEqual([]);
});
