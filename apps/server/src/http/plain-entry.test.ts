import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { challengeRoute, plainEntry } from "./plain-entry.ts";
import { startTestServer } from "./test/test-server.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const challenge = async (token: string) => {
  if (token === "broken") throw new Error("the store is gone");
  return token === "a-Token_1" ? "a-Token_1.proof" : null;
};

async function startEntry(isReady = true): Promise<string> {
  const server = plainEntry({
    challenge,
    isReady: () => isReady,
    origin: "https://kauke.example",
    isTrustedProxy: false,
    hasShares: true,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const at = async (url: string) => {
  const response = await fetch(url, { redirect: "manual" });
  return [response.status, response.headers.get("location"), await response.text()];
};

it("redirects everything else to the same path at the public origin", async () => {
  const url = await startEntry();
  for (const path of [
    "/",
    "/a?b=%2F",
    "//evil.example/",
    "/.well-known/mta-sts.txt",
    "/.well-known/acme-challenge/a/b",
  ])
    expect(await at(`${url}${path}`), path).toEqual([308, `https://kauke.example${path}`, ""]);
});

it("answers the challenges that it knows", async () => {
  const url = `${await startEntry()}/.well-known/acme-challenge`;
  expect(await at(`${url}/a-Token_1`)).toEqual([200, null, "a-Token_1.proof"]);
  for (const token of ["other", "broken"]) expect((await at(`${url}/${token}`))[0], token).toBe(404);
});

it("tells its health", async () => {
  expect(await at(`${await startEntry()}/healthz`)).toEqual([200, null, '{"status":"ok"}']);
  expect(await at(`${await startEntry(false)}/healthz`)).toEqual([503, null, '{"status":"unavailable"}']);
});

it("is not needed without https: the web server answers challenges itself", async () => {
  const server = await startTestServer({ extraRoutes: [(app) => challengeRoute(app, challenge)] });
  closers.push(() => server.close());
  const get = async (token: string) => {
    const { statusCode, body } = await server.app.inject(`/.well-known/acme-challenge/${token}`);
    return [statusCode, body];
  };
  expect(await get("a-Token_1")).toEqual([200, "a-Token_1.proof"]);
  expect((await get("other"))[0]).toBe(404);
});
