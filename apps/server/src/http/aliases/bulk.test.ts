import { randomUUID } from "node:crypto";
import { bulkMessages, labelMessages, limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;
let bob: Visitor;
beforeAll(async () => {
  server = await startTestServer();
  [ann, bob] = await Promise.all([new Visitor(server).register(), new Visitor(server).register()]);
});
afterAll(() => server.close());

interface Listed {
  id: string;
  [field: string]: unknown;
}

const bulk = (person: Visitor, aliasIds: unknown, change: unknown) =>
  person.call("changeAliases", { body: { aliasIds, change } });

async function three(person = ann): Promise<string[]> {
  const made: Listed[] = [];
  for (let count = 0; count < 3; count++) made.push(await person.createAlias());
  return made.map(({ id }) => id);
}

async function listed(ids: readonly string[], person = ann): Promise<Listed[]> {
  const { aliases } = (await person.call("listAliases")).body as { aliases: Listed[] };
  return aliases.filter(({ id }) => ids.includes(id));
}

const allOf = (value: object) => [value, value, value].map((it) => expect.objectContaining(it));

describe("changing many aliases", () => {
  it("pauses and activates", async () => {
    const ids = await three();
    expect((await bulk(ann, ids, { active: false })).body).toEqual({ changed: 3, failed: [] });
    expect(await listed(ids)).toEqual(allOf({ active: false, forwardTo: "null", lastForwardTo: "ann@example.org" }));
    expect((await bulk(ann, ids, { active: false })).body).toEqual({ changed: 3, failed: [] });
    await bulk(ann, ids, { active: true });
    expect(await listed(ids)).toEqual(allOf({ active: true, forwardTo: "ann@example.org", lastForwardTo: null }));
  });

  it("adds and removes a label, and names the aliases that already have ten labels", async () => {
    const ids = await three();
    const labels: string[] = [];
    for (let made = 0; made < 11; made++) {
      const { body } = await ann.call("createLabel", { body: { name: `bulk ${made}`, colour: "blue" } });
      labels.push(body.label.id);
    }
    const [full] = ids;
    await ann.call("updateAlias", { params: { aliasId: String(full) }, body: { labels: labels.slice(0, 10) } });
    const added = await bulk(ann, ids, { addLabel: labels[10] });
    expect(added.body).toEqual({ changed: 2, failed: [{ id: full, code: "invalid" }] });
    const swapped = await bulk(ann, ids, { addLabel: labels[10], removeLabel: labels[0] });
    expect(swapped.body).toEqual({ changed: 3, failed: [] });
    expect((await listed(ids)).every((alias) => (alias.labels as string[]).includes(labels[10] ?? ""))).toBe(true);
    await bulk(ann, ids, { removeLabel: labels[10] });
    expect((await listed(ids)).map((alias) => (alias.labels as string[]).length).sort()).toEqual([0, 0, 9]);
    const strange = await bulk(ann, ids, { addLabel: randomUUID() });
    expect([strange.status, strange.body.errors]).toEqual([400, { addLabel: [labelMessages.unknown] }]);
    const theirs = (await bob.call("createLabel", { body: { name: "bob's", colour: "red" } })).body.label.id;
    expect((await bulk(ann, ids, { addLabel: theirs })).status).toBe(400);
  });

  it("replaces the destinations, also of paused aliases, which stay paused", async () => {
    const ids = await three();
    await ann.call("toggleAlias", { params: { aliasId: String(ids[0]) }, body: { active: false } });
    await bulk(ann, ids, { forwardTo: "new@example.org, https://hooks.example.org/in" });
    const after = await listed(ids);
    expect(after.map((alias) => alias.active).sort()).toEqual([false, true, true]);
    for (const alias of after)
      expect(alias.active ? alias.forwardTo : alias.lastForwardTo).toBe(
        "new@example.org, https://hooks.example.org/in",
      );
    const own = await bulk(ann, ids, { forwardTo: "x@kauke.test" });
    expect([own.status, Object.keys(own.body.errors)]).toEqual([400, ["forwardTo"]]);
  });

  it("pins, and deletes", async () => {
    const ids = await three();
    await bulk(ann, ids, { pinned: true });
    expect(await listed(ids)).toEqual(allOf({ pinned: true }));
    expect((await bulk(ann, ids, { delete: true })).body).toEqual({ changed: 3, failed: [] });
    expect(await listed(ids)).toEqual([]);
    const again = await bulk(ann, ids, { delete: true });
    expect(again.body.failed).toHaveLength(3);
  });

  it("deletes in some seconds, unless the aliases are kept before", async () => {
    const ids = await three();
    const [kept = ""] = ids;
    const at = new Date(server.clock.now().getTime() + 10_000).toISOString();
    expect((await bulk(ann, ids, { delete: true, inSeconds: 10 })).body).toEqual({ changed: 3, failed: [] });
    expect(await listed(ids)).toEqual(allOf({ active: true, deletesAt: at }));
    const theirs = await bulk(bob, ids, { keep: true });
    expect(theirs.body).toEqual({ changed: 0, failed: ids.map((id) => ({ id, code: "not_found" })) });
    expect((await bulk(ann, [kept], { keep: true })).body).toEqual({ changed: 1, failed: [] });
    server.clock.advance(10);
    await server.store.deleteDueAliases();
    const [left, ...others] = await listed(ids);
    expect([left?.id, left?.deletesAt, others]).toEqual([kept, undefined, []]);
    const late = await bulk(ann, ids, { keep: true });
    expect([late.body.changed, late.body.failed.length]).toEqual([1, 2]);
  });

  it("can undo a deletion when the account may change no more", async () => {
    const limited = await startTestServer({
      store: server.store,
      config: { limits: new Map([["alias_bulk", { max: 100, windowSeconds: 60 }]]) },
    });
    const cleo = await new Visitor(limited).register();
    const { id } = await cleo.createAlias();
    expect((await bulk(cleo, [id], { delete: true, inSeconds: 60 })).status).toBe(200);
    expect((await bulk(cleo, [id], { pinned: true })).status).toBe(429);
    expect((await bulk(cleo, [id], { keep: true })).body).toEqual({ changed: 1, failed: [] });
    await limited.close();
  });

  it("counts the aliases whose deletion is undone, in a limit of their own", async () => {
    const limited = await startTestServer({
      store: server.store,
      config: { limits: new Map([["alias_keep", { max: 250, windowSeconds: 60 }]]) },
    });
    const dora = await new Visitor(limited).register();
    const many = Array.from({ length: 150 }, () => randomUUID());
    expect((await bulk(dora, many, { keep: true })).status).toBe(200);
    expect((await bulk(dora, many, { keep: true })).status).toBe(429);
    expect((await bulk(dora, many.slice(100), { keep: true })).status).toBe(200);
    expect((await bulk(dora, many.slice(0, 1), { keep: true })).body).toMatchObject({ code: "rate_limited" });
    await limited.close();
  });

  it("reads ids in any letter case and counts each once", async () => {
    const [id = ""] = await three();
    expect((await bulk(ann, [id, id.toUpperCase(), id], { pinned: true })).body).toEqual({ changed: 1, failed: [] });
  });

  it("leaves other users' aliases unchanged and names them as not found", async () => {
    const [mine, theirs] = [await three(), await three(bob)];
    const changes = [{ active: false }, { pinned: true }, { forwardTo: "ann@example.org" }, { delete: true }];
    for (const change of [...changes, { delete: true, inSeconds: 1 }, { keep: true }]) {
      const { body } = await bulk(ann, [...theirs, ...("delete" in change ? [] : mine)], change);
      expect(body.failed).toEqual(theirs.map((id) => ({ id, code: "not_found" })));
    }
    expect(await listed(theirs, bob)).toEqual(allOf({ active: true, pinned: false, forwardTo: "ann@example.org" }));
    expect((await bulk(new Visitor(server), mine, { delete: true })).status).toBe(401);
  });

  it("refuses no ids, too many, and more than one kind of change", async () => {
    for (const aliasIds of [[], "all", ["x"], Array.from({ length: limits.aliasesMax + 1 }, () => randomUUID())]) {
      const { status, body } = await bulk(ann, aliasIds, { delete: true });
      expect([status, body.errors]).toEqual([400, { aliasIds: [bulkMessages.ids] }]);
    }
    const { body } = await bulk(ann, [randomUUID()], { active: true, delete: true });
    expect(body.errors).toEqual({ change: [bulkMessages.oneChange] });
  });

  it("takes the ids of a full account in one request", async () => {
    const ids = Array.from({ length: limits.aliasesMax }, () => randomUUID());
    const { status, body } = await bulk(ann, ids, { forwardTo: "ann@example.org" });
    expect([status, body.changed, body.failed.length]).toEqual([200, 0, limits.aliasesMax]);
  });

  it("needs the scope of the API key, and adds only confirmed mailboxes by key", async () => {
    const eve = await new Visitor(server).register();
    const [has, lacks] = [await eve.createAlias({ forwardTo: "new@example.org" }), await eve.createAlias()];
    const keyOf = async (scopes: string[]) => {
      const { body } = await eve.call("createApiKey", { body: { name: "script", scopes } });
      return { authorization: `Bearer ${body.secret}` };
    };
    const program = new Visitor(server);
    const change = (headers: Record<string, string>, wanted: object) =>
      program.call("changeAliases", { body: { aliasIds: [has.id, lacks.id], change: wanted }, headers });
    const reader = await keyOf(["aliases:read"]);
    expect((await change(reader, { pinned: true })).status).toBe(403);
    expect((await program.call("listLabels", { headers: reader })).status).toBe(200);
    const made = { body: { name: "x", colour: "red" }, headers: reader };
    expect((await program.call("createLabel", made)).status).toBe(403);
    const writer = await keyOf(["aliases:write"]);
    expect((await change(writer, { pinned: true })).body).toEqual({ changed: 2, failed: [] });
    expect((await change(writer, { forwardTo: "new@example.org" })).body).toEqual({
      changed: 1,
      failed: [{ id: lacks.id, code: "invalid" }],
    });
  });

  it("is limited by the number of aliases, and a small request counts as a hundred", async () => {
    const limited = await startTestServer({
      store: server.store,
      config: { limits: new Map([["alias_bulk", { max: 350, windowSeconds: 60 }]]) },
    });
    const cleo = await new Visitor(limited).register();
    const { id } = await cleo.createAlias();
    for (let call = 0; call < 3; call++) expect((await bulk(cleo, [id], { pinned: true })).status).toBe(200);
    expect((await bulk(cleo, [id], { pinned: true })).status).toBe(429);
    limited.clock.advance(60);
    expect(
      (
        await bulk(
          cleo,
          Array.from({ length: 351 }, () => randomUUID()),
          { pinned: true },
        )
      ).status,
    ).toBe(429);
    await limited.close();
  });
});
