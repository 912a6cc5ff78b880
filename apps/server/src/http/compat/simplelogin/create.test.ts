import { limits } from "@kauke/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestServer } from "../../test/test-server.ts";
import { KeyHolder, startKeyServer } from "./client.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startKeyServer({ config: { limits: new Map([["alias_create", { max: 5000, windowSeconds: 60 }]]) } });
});
afterAll(() => server.close());

const aHolder = () => new KeyHolder(server).begin();
const random = "/api/alias/random/new";

describe("a random alias", () => {
  it("is created with an empty body, forwards to the default mailbox and notes the site", async () => {
    const ann = await aHolder();
    const { status, body } = await ann.call("POST", `${random}?hostname=www.shop.example`);
    expect([status, body.email]).toEqual([201, body.alias]);
    expect(body).toMatchObject({ id: 1, enabled: true, note: "www.shop.example", mailboxes: [{ email: ann.email }] });
  });

  it("begins with the website's name only if the account's defaults say so", async () => {
    const ann = await aHolder();
    const make = async () => (await ann.call("POST", `${random}?hostname=https://www.shop.co.uk/join?a=b`)).body.alias;
    expect(await make()).not.toContain("shop");
    await ann.person.call("changeAccountDefaults", { body: { siteInName: true } });
    expect(await make()).toMatch(/^shop\./);
    expect((await ann.call("POST", `${random}?hostname=shop.co.uk&mode=uuid`)).body.alias).not.toContain("shop");
  });

  it("notes no site and has no site's name where a client sends what JavaScript writes for a missing value", async () => {
    const ann = await aHolder();
    await ann.person.call("changeAccountDefaults", { body: { siteInName: true } });
    for (const hostname of ["undefined", "null", "", "%20"]) {
      const { body } = await ann.call("POST", `${random}?hostname=${hostname}`);
      expect(body.note).toBeNull();
      expect(body.alias).not.toMatch(/^(?:undefined|null)\./);
      const offered = await ann.call("GET", `/api/v5/alias/options?hostname=${hostname}`);
      expect(offered.body.prefix_suggestion).toBe("");
    }
    expect((await ann.call("POST", `${random}?hostname=undefined.example`)).body.note).toBe("undefined.example");
  });

  it("has the requested format, and an unknown format is refused", async () => {
    const ann = await aHolder();
    expect((await ann.call("POST", `${random}?mode=uuid`)).body.alias).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}@/);
    expect((await ann.call("POST", `${random}?mode=word`)).body.alias).toMatch(/^[a-z]+(\.[a-z]+)+\.\d\d@/);
    expect((await ann.call("POST", `${random}?mode=&hostname=`)).status).toBe(201);
    expect(await ann.call("POST", `${random}?mode=haiku`)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
  });

  it("is created with any note, cut to the maximum length that is stored", async () => {
    const ann = await aHolder();
    const noteFor = async (note: unknown) => (await ann.call("POST", random, { note })).body.note;
    expect(await noteFor("x".repeat(10_000))).toBe("x".repeat(limits.notesMax));
    expect(await noteFor(`a${"\u0000"}b`)).toBe("ab");
    for (const note of [null, 5, {}, [], "", " "]) expect(await noteFor(note)).toBeNull();
  });

  it("needs a confirmed mailbox: without one the answer says where to confirm it", async () => {
    const ann = await aHolder();
    const bob = new KeyHolder(server);
    await bob.person.register();
    const key = await bob.newKey();
    const reply = await ann.call("POST", random, undefined, key);
    expect(reply).toMatchObject({ status: 403, body: { error: expect.stringContaining("Settings") } });
  });
});

interface Ending {
  suffix: string;
  signed_suffix: string;
}

async function endings(ann: KeyHolder, hostname = ""): Promise<{ suffixes: Ending[]; prefix_suggestion: string }> {
  return (await ann.call("GET", `/api/v5/alias/options?hostname=${hostname}`)).body;
}

describe("an alias with an offered ending", () => {
  it("has the typed name before the ending, in lower case and without blanks", async () => {
    const ann = await aHolder();
    const { suffixes } = await endings(ann);
    const [first, plain] = suffixes as [Ending, Ending];
    const make = (alias_prefix: string, { signed_suffix }: Ending) =>
      ann.call("POST", "/api/v2/alias/custom/new", { alias_prefix, signed_suffix, note: "Shop" });
    const made = await make(" My Shop ", first);
    expect(made).toMatchObject({ status: 201, body: { alias: `myshop${first.suffix}`, note: "Shop" } });
    const name = `own${ann.key.slice(5, 15).toLowerCase()}`;
    expect((await make(name, plain)).body.alias).toBe(`${name}@kauke.test`);
    expect(await make(name, plain)).toMatchObject({ status: 409, body: { error: expect.any(String) } });
    expect((await make("postmaster", plain)).status).toBe(400);
  });

  it("forwards to the chosen mailboxes, which must be the account's own and confirmed", async () => {
    const [ann, bob] = [await aHolder(), await aHolder()];
    const { suffixes } = await endings(ann);
    const make = (mailbox_ids: unknown) =>
      ann.call("POST", "/api/v3/alias/custom/new", {
        alias_prefix: "x",
        signed_suffix: suffixes[0]?.signed_suffix,
        mailbox_ids,
      });
    await ann.person.call("addMailbox", { body: { address: "unconfirmed@example.org" } });
    await bob.call("GET", "/api/v2/mailboxes");
    const listed = (await ann.call("GET", "/api/v2/mailboxes")).body.mailboxes;
    const [own, unconfirmed] = [listed[0].id, listed.find((one: { verified: boolean }) => !one.verified).id];
    for (const wrong of [[unconfirmed], [own, unconfirmed], [77], [], undefined, "1", ["x"]])
      expect(await make(wrong), String(wrong)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect((await make([own])).body.mailboxes).toEqual([{ id: own, email: ann.email }]);
  });

  it("is refused with 412 when the offer is too old, and with 400 when the ending is not the one offered", async () => {
    const [ann, bob] = [await aHolder(), await aHolder()];
    const { suffixes } = await endings(ann);
    const signed = suffixes[1]?.signed_suffix as string;
    const make = (signed_suffix: unknown, holder = ann) =>
      holder.call("POST", "/api/v2/alias/custom/new", { alias_prefix: "late", signed_suffix });
    expect((await make(signed, bob)).status).toBe(400);
    expect((await make(signed.replace("kauke.test", "vejas.test"))).status).toBe(400);
    for (const wrong of ["@kauke.test", "", 5, null, {}, "x".repeat(60_000)])
      expect((await make(wrong)).status).toBe(400);
    server.clock.advance(601);
    expect(await make(signed)).toMatchObject({ status: 412, body: { error: expect.any(String) } });
  });

  it("has the website's name as suggestion, if the host name yields one", async () => {
    const ann = await aHolder();
    const suggestion = async (host: string) => (await endings(ann, encodeURIComponent(host))).prefix_suggestion;
    expect(await suggestion("www.groupon.com")).toBe("groupon");
    expect(await suggestion("a.b.shop.co.uk")).toBe("shop");
    for (const none of ["", "undefined", "localhost", "192.0.2.1", "nndgmoddhjgddiolpaobafjnkjfjbbpm", "\u0000"])
      expect(await suggestion(none)).toBe("");
  });

  it("is offered endings of the account's default domain first", async () => {
    const ann = await aHolder();
    await ann.person.call("changeAccountDefaults", { body: { domain: "vejas.test" } });
    const { body } = await ann.call("GET", "/api/v4/alias/options");
    expect(body.suffixes[0][0]).toMatch(/@vejas\.test$/);
    expect(body.suffixes).toHaveLength(8);
  });
});

it("whatever a client sends, the response is an alias or a refusal in SimpleLogin's form, and never a server error", async () => {
  const ann = await aHolder();
  const { suffixes } = await endings(ann);
  const paths = [random, "/api/v2/alias/custom/new", "/api/v3/alias/custom/new", "/api/v2/aliases", "/api/aliases/1"];
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record(
        {
          alias_prefix: fc.anything(),
          signed_suffix: fc.oneof(fc.anything(), fc.constant(suffixes[0]?.signed_suffix)),
          mailbox_ids: fc.anything(),
          note: fc.anything(),
          query: fc.anything(),
          pinned: fc.anything(),
          name: fc.anything(),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value, (_, it) => (typeof it === "bigint" ? String(it) : it))),
  );
  const query = fc.record({ hostname: fc.string(), mode: fc.string(), page_id: fc.string() }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), body, query, async (path, payload, parameters) => {
      const method = path === "/api/aliases/1" ? "PUT" : "POST";
      const url = `${path}?${new URLSearchParams(parameters as Record<string, string>).toString()}`;
      const answer = await ann.client.send({ method, url, payload, headers: { authentication: ann.key } });
      expect([200, 201, 400, 403, 409, 412, 413, 429], JSON.stringify(answer.body)).toContain(answer.status);
      if (answer.status >= 400) expect(Object.keys(answer.body)).toEqual(["error"]);
    }),
    { numRuns: 150 },
  );
  const hostile = ["__proto__", "constructor", "toString"].map((name) => `{"${name}":{"note":1},"note":"x"}`);
  for (const payload of [...hostile, "[", "\u{feff}{}", "null", "1", '"x"', "[1]", `{"note":"${"\\ud800"}"}`]) {
    const answer = await ann.client.send({
      method: "POST",
      url: random,
      payload,
      headers: { authentication: ann.key },
    });
    expect([201, 400], payload).toContain(answer.status);
  }
  const large = await ann.call("POST", random, { note: "x".repeat(70_000) });
  expect(large).toMatchObject({ status: 413, body: { error: expect.any(String) } });
  expect(JSON.stringify(server.logged)).not.toContain(ann.email);
  expect(server.logged.filter(({ event }) => event === "http_unexpected")).toEqual([]);
});
