import { randomUUID } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bearer, newKey } from "../api-keys/api-keys.testing.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { CompressedTexts } from "./compressed-text.ts";

let server: TestServer;
let ann: Visitor;
beforeAll(async () => {
  server = await startTestServer({ config: { limits: "off" } });
  ann = await new Visitor(server).register();
  for (let n = 0; n < 101; n += 1)
    await ann.call("createAlias", { body: { alias: `long.${n}`, domain: "kauke.test", forwardTo: "ann@example.org" } });
});
afterAll(() => server.close());

const ownPage = { "accept-encoding": "gzip, br", "sec-fetch-site": "same-origin" };
const get = (url: string, headers: Record<string, string>) => server.app.inject({ method: "GET", url, headers });
const cookieOf = ({ cookies }: Visitor) => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
const list = (headers: Record<string, string>) =>
  get(`/api/aliases/${ann.userId}`, { cookie: cookieOf(ann), ...headers });

describe("a list of more than 100 aliases", () => {
  it("is compressed for our own page, to the same list", async () => {
    const plain = await list({});
    const packed = await list(ownPage);
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(packed.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    expect(packed.rawPayload.length).toBeLessThan(plain.body.length / 5);
    expect(packed.headers["content-length"]).toBe(String(packed.rawPayload.length));
  });

  it.each([
    ["without Accept-Encoding", { "sec-fetch-site": "same-origin" }],
    ["that refuses gzip", { ...ownPage, "accept-encoding": "gzip;q=0" }],
    ["by another site", { ...ownPage, "sec-fetch-site": "cross-site" }],
    ["by a link or an address typed in", { ...ownPage, "sec-fetch-site": "none" }],
    ["by an old browser, which does not say where from", { "accept-encoding": "gzip" }],
  ])("is not compressed for a request %s", async (_, headers) => {
    const { headers: got, body } = await list(headers);
    expect(got["content-encoding"]).toBeUndefined();
    expect(JSON.parse(body).aliases).toHaveLength(101);
  });

  it("is compressed for a client with an API key", async () => {
    const { secret } = await newKey(ann, ["aliases:read"]);
    const headers = { ...bearer(secret), "accept-encoding": "gzip" };
    expect((await get(`/api/aliases/${ann.userId}`, headers)).headers["content-encoding"]).toBe("gzip");
  });
});

it("short responses and errors are not compressed", async () => {
  for (const url of ["/api/mailboxes", `/api/aliases/${randomUUID()}`])
    expect((await get(url, { cookie: cookieOf(ann), ...ownPage })).headers["content-encoding"], url).toBeUndefined();
});

it("at most two texts are compressed at once, and further ones are sent as they are", async () => {
  const texts = new CompressedTexts();
  const packed = await Promise.all(["a", "b", "c"].map((text) => texts.compress(text.repeat(1000), ownPage, false)));
  expect(packed.map((text) => text === null)).toEqual([false, false, true]);
  expect(await texts.compress("d", ownPage, false)).not.toBeNull();
});
