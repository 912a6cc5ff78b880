import { randomUUID } from "node:crypto";
import { labelMessages, limits } from "@kauke/contract";
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

const add = async (person: Visitor, name: string, colour = "teal") => {
  const { status, body } = await person.call("createLabel", { body: { name, colour } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.label as { id: string };
};

describe("labels over HTTP", () => {
  it("are created, listed, renamed, coloured and deleted", async () => {
    const eve = await new Visitor(server).register();
    const label = await add(eve, " Parduotuvės ");
    expect(label).toEqual({ id: label.id, name: "Parduotuvės", colour: "teal" });
    const params = { labelId: label.id };
    expect((await eve.call("changeLabel", { params, body: { name: "shops" } })).body.label.name).toBe("shops");
    expect((await eve.call("changeLabel", { params, body: { colour: "red" } })).body.label).toEqual({
      id: label.id,
      name: "shops",
      colour: "red",
    });
    expect((await eve.call("listLabels")).body.labels).toHaveLength(1);
    expect((await eve.call("deleteLabel", { params })).body).toEqual({ message: "Label deleted" });
    expect((await eve.call("listLabels")).body).toEqual({ labels: [] });
  });

  it("need a session, and are visible to their owner only", async () => {
    const { id: labelId } = await add(ann, "mine");
    const params = { labelId };
    expect((await new Visitor(server).call("listLabels")).status).toBe(401);
    expect((await bob.call("changeLabel", { params, body: { name: "stolen" } })).status).toBe(404);
    expect((await bob.call("deleteLabel", { params })).body.message).toBe("Label not found");
    for (const strange of [randomUUID(), "no-uuid"])
      expect((await ann.call("deleteLabel", { params: { labelId: strange } })).status).toBe(404);
  });

  it("have unique names, whatever their letter case, and one of eight colours", async () => {
    await add(ann, "Bank");
    const taken = await ann.call("createLabel", { body: { name: "bANK", colour: "red" } });
    expect([taken.status, taken.body.errors]).toEqual([400, { name: [labelMessages.nameTaken] }]);
    const other = await add(ann, "other");
    const renamed = await ann.call("changeLabel", { params: { labelId: other.id }, body: { name: "BANK" } });
    expect(renamed.body.errors).toEqual({ name: [labelMessages.nameTaken] });
    const wrong = await ann.call("createLabel", { body: { name: "x".repeat(41), colour: "pink" } });
    expect(wrong.body.errors).toEqual({ name: [labelMessages.nameLength], colour: [labelMessages.colour] });
  });

  it("of an account are at most a hundred", async () => {
    const eve = await new Visitor(server).register();
    for (let made = 0; made < limits.labelsMax; made++) await add(eve, `label ${made}`);
    const { status, body } = await eve.call("createLabel", { body: { name: "one more", colour: "red" } });
    expect([status, body.message]).toEqual([400, labelMessages.tooMany]);
  });

  it("of an alias are set when it is created or changed, and vanish with the label", async () => {
    const [shops, bank] = [await add(ann, "for aliases"), await add(ann, "for aliases too")];
    const made = await ann.createAlias({ labels: [shops.id] });
    expect(made).toMatchObject({ labels: [shops.id], pinned: false });
    const params = { aliasId: made.id };
    const both = { labels: [shops.id, bank.id], pinned: true };
    expect((await ann.call("updateAlias", { params, body: both })).body).toMatchObject(both);
    expect((await ann.call("updateAlias", { params, body: { notes: "x" } })).body).toMatchObject(both);
    await ann.call("deleteLabel", { params: { labelId: shops.id } });
    const { aliases } = (await ann.call("listAliases")).body;
    expect(aliases.find(({ id }: { id: string }) => id === made.id)).toMatchObject({ labels: [bank.id], pinned: true });
    const theirs = await bob.call("createAlias", {
      body: { alias: "theirs", domain: "kauke.test", forwardTo: "bob@example.org", labels: [bank.id] },
    });
    expect([theirs.status, theirs.body.errors]).toEqual([400, { labels: [labelMessages.unknown] }]);
  });

  it("count as changes of aliases for the rate limit", async () => {
    const limited = await startTestServer({
      store: server.store,
      config: { limits: new Map([["alias_change", { max: 2, windowSeconds: 60 }]]) },
    });
    const cleo = await new Visitor(limited).register();
    const { id: labelId } = await add(cleo, "one");
    await cleo.call("changeLabel", { params: { labelId }, body: { name: "two" } });
    expect((await cleo.call("deleteLabel", { params: { labelId } })).status).toBe(429);
    await limited.close();
  });
});
