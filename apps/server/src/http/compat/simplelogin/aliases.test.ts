import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { rateLimitRules } from "../../../limits/named-limits.ts";
import type { TestServer } from "../../test/test-server.ts";
import { KeyHolder, startKeyServer } from "./client.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startKeyServer();
});
afterAll(() => server.close());

const aHolder = () => new KeyHolder(server).begin();
const forbidden = { status: 403, body: { error: "Forbidden" } };

/** The alias as Kauke's own API returns it. */
async function owned({ person }: KeyHolder, email: string) {
  const { body } = await person.call("listAliases");
  return body.aliases.find((one: { alias: string; domain: string }) => `${one.alias}@${one.domain}` === email);
}

/**
 * Adds a confirmed mailbox.
 * @returns its client number
 */
async function addMailbox(ann: KeyHolder, address: string): Promise<number> {
  await ann.confirm(address);
  await ann.person.call("addMailbox", { body: { address } });
  const { body } = await ann.call("GET", "/api/v2/mailboxes");
  return body.mailboxes.find((one: { email: string }) => one.email === address).id;
}

describe("the list", () => {
  it("has pages of 20, pinned aliases first, then the newest, and ends with an empty page", async () => {
    const ann = await aHolder();
    const made: number[] = [];
    for (let count = 0; count < 25; count++) {
      made.push((await ann.call("POST", "/api/alias/random/new")).body.id);
      server.clock.advance(1);
    }
    await ann.call("PATCH", `/api/aliases/${made[3]}`, { pinned: true });
    const ids = async (page: number) => {
      const { body } = await ann.call("GET", `/api/v2/aliases?page_id=${page}`);
      return body.aliases.map(({ id }: { id: number }) => id);
    };
    const expected = [made[3], ...made.filter((id) => id !== made[3]).reverse()];
    expect(await ids(0)).toEqual(expected.slice(0, 20));
    expect(await ids(1)).toEqual(expected.slice(20));
    expect([await ids(2), await ids(999_999_999)]).toEqual([[], []]);
  });

  it("is filtered by state and pin, and searched by address and note in any case", async () => {
    const ann = await aHolder();
    const [first, second] = [
      (await ann.call("POST", "/api/alias/random/new", { note: "Žuvys" })).body,
      (await ann.call("POST", "/api/alias/random/new", { note: "Birds" })).body,
    ];
    await ann.call("POST", `/api/aliases/${first.id}/toggle`);
    await ann.call("PUT", `/api/aliases/${second.id}`, { pinned: true });
    const found = async (query: string, search?: string) => {
      const method = search === undefined ? "GET" : "POST";
      const body = search === undefined ? undefined : { query: search };
      const reply = await ann.call(method, `/api/v2/aliases?page_id=0${query}`, body);
      return reply.body.aliases.map(({ id }: { id: number }) => id);
    };
    expect(await found("&disabled")).toEqual([first.id]);
    expect(await found("&enabled=")).toEqual([second.id]);
    expect(await found("&pinned=true")).toEqual([second.id]);
    expect(await found("", "žUVYS")).toEqual([first.id]);
    expect(await found("", second.email.slice(0, 9).toUpperCase())).toEqual([second.id]);
    expect(await found("", "nothing like it")).toEqual([]);
    expect((await found("", "")).length).toBe(2);
  });

  it("needs a page number", async () => {
    const ann = await aHolder();
    for (const query of [
      "",
      "?page_id",
      "?page_id=",
      "?page_id=-1",
      "?page_id=x",
      "?page_id=1.5",
      "?page_id=99999999999",
    ])
      expect(await ann.call("GET", `/api/v2/aliases${query}`)).toMatchObject({
        status: 400,
        body: { error: "page_id must be provided in request query" },
      });
  });

  it("names no mailbox for an alias that forwards only to a webhook", async () => {
    const ann = await aHolder();
    await ann.person.createAlias({ forwardTo: "https://hooks.example.org/ann" });
    const { body } = await ann.call("GET", "/api/v2/aliases?page_id=0");
    expect(body.aliases).toMatchObject([{ mailboxes: [], mailbox: null, enabled: true }]);
    expect(JSON.stringify(body)).not.toContain("hooks.example.org");
  });
});

describe("a change of mailboxes", () => {
  it("keeps the webhooks, which the clients cannot show, and a paused alias paused", async () => {
    const ann = await aHolder();
    const hook = "https://hooks.example.org/ann";
    const alias = await ann.person.createAlias({ forwardTo: `${ann.email}, ${hook}` });
    await ann.person.call("toggleAlias", { params: { aliasId: alias.id }, body: { active: false } });
    const other = `other.${randomUUID()}@example.org`;
    const number = await addMailbox(ann, other);
    const [view] = (await ann.call("GET", "/api/v2/aliases?page_id=0")).body.aliases;
    expect(await ann.call("PUT", `/api/aliases/${view.id}`, { mailbox_ids: [number] })).toMatchObject({
      body: { ok: true },
    });
    expect(await owned(ann, view.email)).toMatchObject({ active: false, lastForwardTo: `${other}, ${hook}` });
    expect((await ann.call("GET", `/api/aliases/${view.id}`)).body).toMatchObject({
      enabled: false,
      mailboxes: [{ id: number, email: other }],
    });
    expect((await ann.call("POST", `/api/aliases/${view.id}/toggle`)).body).toEqual({ enabled: true });
    expect(await owned(ann, view.email)).toMatchObject({ active: true, forwardTo: `${other}, ${hook}` });
  });

  it("keeps a mailbox's spelling, and an unconfirmed mailbox that the alias has, but adds none", async () => {
    const ann = await aHolder();
    const alias = await ann.person.createAlias({ forwardTo: `New.One@example.org, ${ann.email}` });
    const { body } = await ann.call("GET", "/api/v2/mailboxes");
    const numberOf = (email: string) =>
      body.mailboxes.find((one: { email: string }) => one.email.toLowerCase() === email.toLowerCase()).id;
    const both = [numberOf("new.one@example.org"), numberOf(ann.email)];
    const [view] = (await ann.call("GET", "/api/v2/aliases?page_id=0")).body.aliases;
    expect(view.mailboxes.map(({ id }: { id: number }) => id)).toEqual(both);
    expect((await ann.call("PUT", `/api/aliases/${view.id}`, { mailbox_ids: both })).status).toBe(200);
    expect((await owned(ann, view.email)).forwardTo).toBe(alias.forwardTo);
    const { body: second } = await ann.call("POST", "/api/alias/random/new");
    const refused = await ann.call("PUT", `/api/aliases/${second.id}`, { mailbox_ids: both });
    expect(refused).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect((await owned(ann, second.email)).forwardTo).toBe(ann.email);
    const verified = (await ann.call("GET", "/api/mailboxes")).body.mailboxes;
    expect(verified.map(({ email }: { email: string }) => email)).toEqual([ann.email]);
  });

  it("keeps an unconfirmed mailbox that the client omits, because it is shown only confirmed ones", async () => {
    const ann = await aHolder();
    const alias = await ann.person.createAlias({ forwardTo: `new.one@example.org, ${ann.email}` });
    const [own] = (await ann.call("GET", "/api/mailboxes")).body.mailboxes;
    const [view] = (await ann.call("GET", "/api/v2/aliases?page_id=0")).body.aliases;
    expect((await ann.call("PUT", `/api/aliases/${view.id}`, { mailbox_ids: [own.id] })).status).toBe(200);
    const { forwardTo } = await owned(ann, view.email);
    expect(forwardTo.split(", ").sort()).toEqual(alias.forwardTo.split(", ").sort());
  });

  it("is refused without mailboxes, with unknown ones and with invalid values, and then changes nothing", async () => {
    const ann = await aHolder();
    const { body: alias } = await ann.call("POST", "/api/alias/random/new");
    for (const mailbox_ids of [[], [99], [0], [-1], [1.5], ["1"], null, {}, "1", [2 ** 40], Array(5000).fill(7)]) {
      const reply = await ann.call("PUT", `/api/aliases/${alias.id}`, { mailbox_ids });
      expect([reply.status, Object.keys(reply.body)], JSON.stringify(mailbox_ids)).toEqual([400, ["error"]]);
    }
    expect((await owned(ann, alias.email)).forwardTo).toBe(ann.email);
  });

  it("does not lose a destination that a concurrent change adds", async () => {
    const ann = await aHolder();
    const { body: alias } = await ann.call("POST", "/api/alias/random/new");
    const { id: aliasId } = await owned(ann, alias.email);
    const [mailbox] = alias.mailboxes;
    const hook = "https://hooks.example.org/added";
    const [theirs] = await Promise.all([
      ann.call("PUT", `/api/aliases/${alias.id}`, { mailbox_ids: [mailbox.id], note: "both" }),
      ann.person.call("updateAlias", { params: { aliasId }, body: { forwardTo: `${ann.email}, ${hook}` } }),
    ]);
    expect(theirs.status).toBe(200);
    expect(await owned(ann, alias.email)).toMatchObject({ forwardTo: `${ann.email}, ${hook}`, notes: "both" });
  });
});

describe("other changes", () => {
  it("of the note are cut to the maximum length and stored, and changes of PGP are accepted without effect", async () => {
    const ann = await aHolder();
    const { body: alias } = await ann.call("POST", "/api/alias/random/new", { note: "first" });
    const put = (body: unknown) => ann.call("PUT", `/api/aliases/${alias.id}`, body);
    expect((await put({ disable_pgp: true })).body).toEqual({ ok: true });
    expect((await owned(ann, alias.email)).notes).toBe("first");
    expect((await put({ note: "ž".repeat(1000) })).status).toBe(200);
    expect((await owned(ann, alias.email)).notes).toMatch(/^ž+$/);
    expect((await put({ note: null })).status).toBe(200);
    expect((await owned(ann, alias.email)).notes).toBeNull();
    expect(await put({})).toMatchObject({ status: 400, body: { error: "request body cannot be empty" } });
  });
});

describe("the name of an alias", () => {
  it("is what correspondents see: set, read and removed, or refused with the reason", async () => {
    const ann = await aHolder();
    const { body: alias } = await ann.call("POST", "/api/alias/random/new", {});
    const put = (name: unknown) => ann.call("PUT", `/api/aliases/${alias.id}`, { name });
    const read = async () => (await ann.call("GET", `/api/aliases/${alias.id}`)).body.name;
    expect(await read()).toBeNull();
    expect(await put("  Book  Club ")).toMatchObject({ status: 200 });
    expect(await read()).toBe("Book Club");
    expect(await put("boss@bank.example")).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("“@”") },
    });
    expect((await put(7)).status).toBe(400);
    const padded = `a${" ".repeat(60_000)}a`;
    expect(await put(padded)).toMatchObject({ status: 400, body: { error: expect.stringContaining("at most 64") } });
    expect(await read()).toBe("Book Club");
    expect((await put("")).status).toBe(200);
    expect(await read()).toBeNull();
  });
});

describe("two accounts", () => {
  it("number their aliases separately, so that a number never leads to an alias of the other account", async () => {
    const [ann, bob] = [await aHolder(), await aHolder()];
    const own = (await ann.call("POST", "/api/alias/random/new")).body;
    await bob.call("POST", "/api/alias/random/new");
    const theirs = (await bob.call("POST", "/api/alias/random/new")).body;
    expect([own.id, theirs.id]).toEqual([1, 2]);
    for (const id of [theirs.id, 3, 0, 2 ** 31, "x", "1e3", "%00", bob.person.userId]) {
      expect(await ann.call("GET", `/api/aliases/${id}`), String(id)).toMatchObject(forbidden);
      expect(await ann.call("DELETE", `/api/aliases/${id}`)).toMatchObject(forbidden);
      expect(await ann.call("PUT", `/api/aliases/${id}`, { note: "mine" })).toMatchObject(forbidden);
      expect(await ann.call("POST", `/api/aliases/${id}/toggle`, {})).toMatchObject(forbidden);
      expect(await ann.call("GET", `/api/aliases/${id}/activities?page_id=0`)).toMatchObject(forbidden);
      expect(await ann.call("GET", `/api/aliases/${id}/contacts?page_id=0`)).toMatchObject(forbidden);
    }
    const seen = JSON.stringify((await ann.call("GET", "/api/v2/aliases?page_id=0")).body);
    expect(seen).toContain(own.email);
    expect(seen).not.toContain(bob.email);
    expect((await ann.call("GET", "/api/v2/mailboxes")).body.mailboxes).toHaveLength(1);
    expect((await ann.call("GET", "/api/stats")).body.nb_alias).toBe(1);
    expect(await owned(bob, theirs.email)).toMatchObject({ active: true });
  });

  it("a deleted alias' number gets 403 from then on, and is never assigned again", async () => {
    const ann = await aHolder();
    const { body: alias } = await ann.call("POST", "/api/alias/random/new");
    expect((await ann.call("DELETE", `/api/aliases/${alias.id}`)).body).toEqual({ deleted: true });
    expect(await ann.call("DELETE", `/api/aliases/${alias.id}`)).toMatchObject(forbidden);
    expect((await ann.call("POST", "/api/alias/random/new")).body.id).toBe(alias.id + 1);
  });
});

describe("limits", () => {
  it("of lists, toggles and activities are SimpleLogin's", () => {
    const rules = rateLimitRules(new Map());
    expect(rules?.client_list).toMatchObject({ max: 50, windowSeconds: 60 });
    expect(rules?.client_toggle).toMatchObject({ max: 100, windowSeconds: 3600 });
    expect(rules?.client_activities).toMatchObject({ max: 30, windowSeconds: 60 });
  });

  it("apply per account, and the refusal says how long to wait", async () => {
    const few = { max: 2, windowSeconds: 60 };
    const limits = new Map(["client_list", "client_toggle", "client_activities"].map((name) => [name, few]));
    const strict = await startKeyServer({ config: { limits } });
    onTestFinished(() => strict.close());
    const [ann, bob] = [await new KeyHolder(strict).begin(), await new KeyHolder(strict).begin()];
    for (const holder of [ann, bob]) await holder.call("POST", "/api/alias/random/new");
    for (const [method, url] of [
      ["GET", "/api/v2/aliases?page_id=5"],
      ["POST", "/api/aliases/1/toggle"],
      ["GET", "/api/aliases/1/activities?page_id=0"],
    ] as const) {
      for (const status of [200, 200, 429, 429]) expect((await ann.call(method, url)).status).toBe(status);
      const refused = await ann.call(method, url);
      expect(refused.body).toEqual({ error: expect.any(String) });
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
      expect((await bob.call(method, url)).status).toBe(200);
    }
  });
});
