/** What the calls compatible with addy.io do to aliases. */
import { limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { confirmMailboxInStore } from "../../api-keys/api-keys.testing.ts";
import { type TestServer, Visitor } from "../../test/test-server.ts";
import {
  type AddyPerson,
  askWith,
  newAddyAlias,
  newAddyKey,
  newPerson,
  startAddyServer,
} from "./addy-world.testing.ts";

let server: TestServer;
let person: AddyPerson;
beforeAll(async () => {
  server = await startAddyServer();
  person = await newPerson(server);
});
afterAll(() => server.close());

const recipientsOf = async ({ ask }: AddyPerson) => (await ask("GET", "/api/v1/recipients")).body.data;
/** The alias as Kauke's own API returns it. */
async function shown({ visitor }: AddyPerson, aliasId: string) {
  const { aliases } = (await visitor.call("listAliases")).body;
  return aliases.find(({ id }: { id: string }) => id === aliasId);
}

describe("a new alias", () => {
  it("forwards to the default mailbox if the list of recipients is missing or empty", async () => {
    for (const more of [
      {},
      { recipient_ids: [] },
      { recipient_ids: null },
      { format: "custom", local_part: "jonas.x" },
    ]) {
      const alias = await newAddyAlias(person, more);
      expect((await shown(person, alias.id)).forwardTo).toBe(person.mailbox);
      expect(alias.recipients).toMatchObject([{ email: person.mailbox, can_reply_send: true }]);
    }
  });

  it("has a name of the requested format", async () => {
    for (const [format, pattern] of [
      ["random_characters", /^[a-z0-9]{14}$/],
      ["uuid", /^[0-9a-f-]{36}$/],
      ["random_words", /^[a-z]+\.[a-z]+\.[a-z]+\.\d\d$/],
      ["random_male_name", /^[a-z]+\.[a-z]+\.[a-z]+\.\d\d$/],
    ] as const) {
      const alias = await newAddyAlias(person, { format });
      expect(alias.local_part, format).toMatch(pattern);
      expect(alias.email).toBe(`${alias.local_part}@kauke.test`);
    }
  });

  it("has the account's default format if none is requested", async () => {
    await person.visitor.call("changeAccountDefaults", { body: { format: "uuid" } });
    expect((await newAddyAlias(person)).local_part).toMatch(/^[0-9a-f-]{36}$/);
    expect((await person.ask("GET", "/api/v1/domain-options")).body.defaultAliasFormat).toBe("uuid");
    await person.visitor.call("changeAccountDefaults", { body: { format: "characters" } });
  });

  it("is on the account's default domain if none is requested", async () => {
    for (const more of [
      { domain: undefined },
      { domain: null },
      { domain: null, format: "custom", local_part: "mine" },
    ])
      expect((await newAddyAlias(person, more)).domain).toBe("kauke.test");
  });

  it("forwards to the mailboxes that are named, if they are confirmed", async () => {
    const { mailbox: second } = { mailbox: "second@inbox.example" };
    await person.visitor.createAlias({ forwardTo: second });
    const recipient = (await recipientsOf(person)).find(({ email }: { email: string }) => email === second);
    expect(recipient).toMatchObject({ email_verified_at: null, can_reply_send: false });
    const body = { recipient_ids: [recipient.id] };
    const refused = await person.ask("POST", "/api/v1/aliases", { domain: "kauke.test", ...body });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["recipient_ids"]]);
    await confirmMailboxInStore(server, person.userId, second);
    expect((await shown(person, (await newAddyAlias(person, body)).id)).forwardTo).toBe(second);
  });

  it("has a description cut to the maximum length that is stored", async () => {
    const alias = await newAddyAlias(person, { description: "x".repeat(5000) });
    expect(alias.description).toBe("x".repeat(limits.notesMax));
    const custom = await newAddyAlias(person, {
      format: "custom",
      local_part: "long.note",
      description: "y".repeat(500),
    });
    expect(custom.description).toBe("y".repeat(limits.notesMax));
  });

  it.each([
    [{ domain: "elsewhere.example" }, "domain"],
    [{ domain: "" }, "domain"],
    [{ domain: 5 }, "domain"],
    [{ format: "nonsense" }, "format"],
    [{ format: "custom" }, "local_part"],
    [{ format: "custom", local_part: "with space" }, "local_part"],
    [{ format: "custom", local_part: "tag+ged" }, "local_part"],
    [{ format: "custom", local_part: "x".repeat(51) }, "local_part"],
    [{ format: "custom", local_part: "postmaster" }, "local_part"],
    [{ description: 5 }, "description"],
    [{ recipient_ids: "all" }, "recipient_ids"],
    [{ recipient_ids: ["1"] }, "recipient_ids"],
  ])("asked for by %j is refused with an error for %s", async (body, field) => {
    const { status, body: answer } = await person.ask("POST", "/api/v1/aliases", { domain: "kauke.test", ...body });
    expect([status, Object.keys(answer)]).toEqual([422, ["message", "errors"]]);
    expect(answer.errors[field]).toEqual([answer.message]);
  });

  it("with a name that is taken is refused as an invalid name", async () => {
    const body = { domain: "kauke.test", format: "custom", local_part: "only.once" };
    expect((await person.ask("POST", "/api/v1/aliases", body)).status).toBe(201);
    const { status, body: answer } = await (await newPerson(server)).ask("POST", "/api/v1/aliases", body);
    expect([status, answer.errors]).toEqual([422, { local_part: [answer.message] }]);
  });

  it("needs a confirmed mailbox: 403 with a sentence that says where to confirm one", async () => {
    const visitor = await new Visitor(server).register();
    const { secret: key } = await newAddyKey(visitor);
    for (const more of [{}, { format: "custom", local_part: "no.mailbox" }]) {
      const body = { domain: "kauke.test", ...more };
      const { status, body: answer } = await askWith(server, { key, method: "POST", url: "/api/v1/aliases", body });
      expect([status, answer]).toEqual([403, { message: expect.stringContaining("Settings") }]);
    }
    // addy.io's apps start although the account has no confirmed mailbox.
    const account = await askWith(server, { key, method: "GET", url: "/api/v1/account-details" });
    const url = `/api/v1/recipients/${account.body.data.default_recipient_id}`;
    expect((await askWith(server, { key, method: "GET", url })).body.data.email_verified_at).toBeNull();
  });
});

describe("an alias", () => {
  it("is paused, activated, pinned, described and deleted", async () => {
    const { id } = await newAddyAlias(person, { description: "before" });
    const now = async () => (await person.ask("GET", `/api/v1/aliases/${id}`)).body.data;
    await person.ask("DELETE", `/api/v1/active-aliases/${id}`);
    expect(await now()).toMatchObject({ active: false, recipients: [{ email: person.mailbox }] });
    expect((await person.ask("POST", "/api/v1/active-aliases", { id })).body.data.active).toBe(true);
    expect((await person.ask("POST", "/api/v1/pinned-aliases", { id })).body.data.pinned).toBe(true);
    expect((await person.ask("GET", "/api/v1/aliases")).body.data[0].id).toBe(id);
    await person.ask("DELETE", `/api/v1/pinned-aliases/${id}`);
    expect(await now()).toMatchObject({ pinned: false, description: "before" });
    await person.ask("PATCH", `/api/v1/aliases/${id}`, { from_name: " Ann " });
    expect(await now()).toMatchObject({ from_name: "Ann", description: "before" });
    const refused = await person.ask("PATCH", `/api/v1/aliases/${id}`, { from_name: "boss@bank.example" });
    expect(refused).toMatchObject({ status: 422, body: { errors: { from_name: [expect.stringContaining("“@”")] } } });
    await person.ask("PATCH", `/api/v1/aliases/${id}`, { from_name: null });
    expect(await now()).toMatchObject({ from_name: null, description: "before" });
    await person.ask("PATCH", `/api/v1/aliases/${id}`, { description: "after" });
    expect((await now()).description).toBe("after");
    await person.ask("PATCH", `/api/v1/aliases/${id}`, { description: null });
    expect((await now()).description).toBeNull();
    expect((await person.ask("DELETE", `/api/v1/aliases/${id}`)).status).toBe(204);
    expect((await person.ask("DELETE", `/api/v1/aliases/${id}`)).status).toBe(404);
  });

  it("hides its webhook, and keeps it and mailboxes that are not confirmed when the recipients are replaced", async () => {
    const hook = "https://hooks.example.org/in?secret=abc";
    const forwardTo = `${person.mailbox}, ${hook}, new@inbox.example`;
    const { id } = await person.visitor.createAlias({ forwardTo });
    const answer = await person.ask("GET", `/api/v1/aliases/${id}`);
    expect(JSON.stringify(answer.body)).not.toContain("hooks.example.org");
    expect(answer.body.data.recipients).toMatchObject([
      { email: person.mailbox },
      { email: "new@inbox.example", email_verified_at: null },
    ]);
    await person.visitor.createAlias({ forwardTo: "third@inbox.example" });
    await confirmMailboxInStore(server, person.userId, "third@inbox.example");
    const third = (await recipientsOf(person)).find(({ email }: { email: string }) => email === "third@inbox.example");
    const body = { alias_id: id, recipient_ids: [third.id] };
    for (const active of [true, false]) {
      await person.visitor.call("toggleAlias", { params: { aliasId: id }, body: { active } });
      const replaced = await person.ask("POST", "/api/v1/alias-recipients", body);
      expect(replaced).toMatchObject({ status: 200, body: { data: { active } } });
      const { forwardTo: now, lastForwardTo } = await shown(person, id);
      expect([now, lastForwardTo].filter((it) => it !== "null" && it !== null)).toEqual([
        `third@inbox.example, ${hook}, new@inbox.example`,
      ]);
    }
    const paused = await person.ask("POST", "/api/v1/aliases/recipients/bulk", { ids: [id], recipient_ids: [] });
    expect(paused.status).toBe(200);
    expect(await shown(person, id)).toMatchObject({
      active: false,
      lastForwardTo: `${person.mailbox}, ${hook}, new@inbox.example`,
    });
  });

  it("gets no unconfirmed or unknown recipient, and no more recipients than the maximum", async () => {
    const { id } = await newAddyAlias(person);
    const unconfirmed = (await recipientsOf(person)).find((it: { email: string }) => it.email === "new@inbox.example");
    for (const recipient of [unconfirmed.id, crypto.randomUUID()]) {
      const answer = await person.ask("POST", "/api/v1/alias-recipients", { alias_id: id, recipient_ids: [recipient] });
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["recipient_ids"]]);
    }
    const hooks = Array.from({ length: limits.destinationsMax }, (_, index) => `https://hooks.example.org/${index}`);
    const full = await person.visitor.createAlias({ forwardTo: hooks.join(", ") });
    const answer = await person.ask("POST", "/api/v1/alias-recipients", { alias_id: full.id, recipient_ids: [] });
    expect(answer.status).toBe(422);
    expect((await shown(person, full.id)).forwardTo).toBe(hooks.join(", "));
  });
});

describe("several aliases at once", () => {
  it("are changed, and those of other users are left out of the response", async () => {
    const other = await newPerson(server);
    const mine = await newAddyAlias(person);
    const theirs = await newAddyAlias(other);
    const ids = [mine.id, theirs.id, crypto.randomUUID(), mine.id];
    const bulk = (name: string) => person.ask("POST", `/api/v1/aliases/${name}/bulk`, { ids });
    server.clock.advance(60);
    expect((await bulk("deactivate")).body).toEqual({ message: "1 alias changed", ids: [mine.id] });
    expect((await bulk("pin")).body.ids).toEqual([mine.id]);
    expect((await bulk("get")).body.data).toMatchObject([{ id: mine.id, active: false, pinned: true }]);
    expect((await bulk("delete")).body.ids).toEqual([mine.id]);
    expect((await bulk("delete")).status).toBe(404);
    expect((await other.ask("GET", `/api/v1/aliases/${theirs.id}`)).body.data).toEqual(theirs);
  });

  it("can be changed in one call up to a number of twenty-five", async () => {
    server.clock.advance(60);
    for (const ids of [[], Array.from({ length: 26 }, () => crypto.randomUUID()), ["1"], "all", null])
      expect((await person.ask("POST", "/api/v1/aliases/pin/bulk", { ids })).status).toBe(422);
  });

  it("can be changed twelve times a minute at most", async () => {
    const { ask } = await newPerson(server);
    const body = { ids: [crypto.randomUUID()] };
    const statuses = [];
    for (let count = 0; count < 12; count++)
      statuses.push((await ask("POST", "/api/v1/aliases/pin/bulk", body)).status);
    expect(new Set(statuses)).toEqual(new Set([404]));
    const { status, headers, body: answer } = await ask("POST", "/api/v1/aliases/get/bulk", body);
    expect([status, Object.keys(answer)]).toEqual([429, ["message"]]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  });
});

it("above the limit of new aliases the response is 429 in addy.io's form", async () => {
  const strict = await startAddyServer({
    store: server.store,
    config: { limits: new Map([["alias_create", { max: 1, windowSeconds: 3600 }]]) },
  });
  const ben = await newPerson(strict);
  await newAddyAlias(ben);
  const { status, headers, body } = await ben.ask("POST", "/api/v1/aliases", { domain: "kauke.test" });
  expect([status, body]).toEqual([429, { message: "You have created too many aliases in a short time." }]);
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  await strict.close();
});

it("lists come in pages, pinned ones first", async () => {
  const ben = await newPerson(server);
  const made: string[] = [];
  for (let count = 0; count < 5; count++) {
    made.unshift((await newAddyAlias(ben, { description: count % 2 === 0 ? "Shop" : null })).id);
    server.clock.advance(1);
  }
  await ben.ask("POST", "/api/v1/pinned-aliases", { id: made[3] });
  const page = async (query: string) => {
    const { body } = await ben.ask("GET", `/api/v1/aliases?${query}`);
    return { ids: body.data.map(({ id }: { id: string }) => made.indexOf(id)), ...body };
  };
  const first = await page("filter[deleted]=with&filter[active]=&sort=-created_at&page[number]=1&page[size]=3");
  expect([first.ids, first.meta.total, typeof first.links.next]).toEqual([[3, 0, 1], 5, "string"]);
  const next = new URL(first.links.next);
  expect((await page(next.search.slice(1))).ids).toEqual([2, 4]);
  expect((await page("filter[search]=shop")).ids).toEqual([0, 2, 4]);
  expect((await page("filter%5Bpinned%5D%3D=true")).ids).toEqual([3]);
});

it("no address, name, note or key is logged", async () => {
  const logged = JSON.stringify(server.logged);
  for (const text of [person.mailbox, person.key, "inbox.example", "hooks.example.org", "only.once", "kauke.test"])
    expect(logged).not.toContain(text);
});
