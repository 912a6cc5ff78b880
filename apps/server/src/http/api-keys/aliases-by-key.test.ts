/** What an API key may do to aliases: forward them to confirmed mailboxes only, and keep existing destinations. */
import { randomUUID } from "node:crypto";
import { aliasMessages } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { bearer, confirmMailboxInStore, newKey } from "./api-keys.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** A user with a confirmed mailbox, and a client that makes calls with an API key of this user. */
async function withProgram() {
  const person = await new Visitor(server).register();
  const confirmed = `${randomUUID()}@example.org`;
  await confirmMailboxInStore(server, person.userId, confirmed);
  const program = new Visitor(server);
  program.userId = person.userId;
  const headers = bearer((await newKey(person)).secret);
  const create = (forwardTo: string) =>
    program.call("createAlias", {
      headers,
      body: { alias: `a${randomUUID().slice(0, 8)}`, domain: "kauke.test", forwardTo },
    });
  const update = (aliasId: string, body: object) => program.call("updateAlias", { headers, params: { aliasId }, body });
  return { person, program, headers, confirmed, create, update };
}

const byKey = { message: aliasMessages.forwardToByKey, code: "invalid" };

describe("an API key", () => {
  it("creates an alias that forwards to a confirmed mailbox, in any spelling", async () => {
    const { confirmed, create } = await withProgram();
    expect((await create(confirmed)).status).toBe(201);
    expect((await create(confirmed.toUpperCase())).status).toBe(201);
  });

  it.each(["stranger@example.net", "https://hooks.example.org/in"])("creates no alias to %s", async (destination) => {
    const { confirmed, create } = await withProgram();
    for (const forwardTo of [destination, `${confirmed}, ${destination}`])
      expect(await create(forwardTo)).toMatchObject({
        status: 400,
        body: { ...byKey, errors: { forwardTo: [byKey.message] } },
      });
  });

  it("creates no alias that forwards to a mailbox that only another account has confirmed", async () => {
    const { confirmed } = await withProgram();
    const { create } = await withProgram();
    expect((await create(confirmed)).body).toMatchObject(byKey);
  });

  it("adds confirmed mailboxes, and keeps or removes an alias' present destinations", async () => {
    const { person, confirmed, update } = await withProgram();
    const had = "ann@example.org, https://hooks.example.org/in";
    const { id } = await person.createAlias({ forwardTo: had });
    expect((await update(id, { forwardTo: `${had}, ${confirmed}` })).status).toBe(200);
    expect((await update(id, { forwardTo: `ANN@example.org, ${confirmed}` })).status).toBe(200);
    expect((await update(id, { forwardTo: had })).body).toMatchObject(byKey);
    expect((await update(id, { forwardTo: "ann@example.org" })).body.forwardTo).toBe("ann@example.org");
  });

  it("cannot have a paused alias forward elsewhere once it is activated", async () => {
    const { person, program, headers, confirmed, update } = await withProgram();
    const { id } = await person.createAlias({ forwardTo: "ann@example.org" });
    const params = { aliasId: id };
    expect((await program.call("toggleAlias", { headers, params, body: { active: false } })).status).toBe(200);
    for (const change of [{ lastForwardTo: "eve@example.net" }, { forwardTo: "eve@example.net" }])
      expect((await update(id, change)).body).toMatchObject(byKey);
    expect((await update(id, { active: false, lastForwardTo: "eve@example.net" })).status).toBe(400);
    expect((await update(id, { lastForwardTo: confirmed })).body.lastForwardTo).toBe(confirmed);
    const { body } = await program.call("toggleAlias", { headers, params, body: { active: true } });
    expect(body.alias.forwardTo).toBe(confirmed);
  });

  it("renames, annotates and deletes an alias, but cannot change the key that its mail is encrypted to", async () => {
    const { person, program, headers, update } = await withProgram();
    const { id } = await person.createAlias();
    const name = `b${randomUUID().slice(0, 8)}`;
    expect((await update(id, { alias: name, notes: "shop" })).body).toMatchObject({ alias: name, notes: "shop" });
    for (const sealTo of ["off", "account", randomUUID()])
      expect(await update(id, { sealTo })).toMatchObject({ status: 403, body: { code: "key_scope" } });
    expect((await program.call("deleteAlias", { headers, params: { aliasId: id } })).status).toBe(200);
  });

  it("cannot let the owner write by address, which is off for a new alias, but can switch it off", async () => {
    const { person, update } = await withProgram();
    const { id } = await person.createAlias();
    expect(await update(id, { writeByAddress: true })).toMatchObject({ status: 403, body: { code: "key_scope" } });
    const on = await person.call("updateAlias", { params: { aliasId: id }, body: { writeByAddress: true } });
    expect(on.body).toMatchObject({ writeByAddress: true });
    expect((await update(id, { writeByAddress: false })).body).toMatchObject({ writeByAddress: false });
  });

  it("sets only confirmed mailboxes when it changes many aliases", async () => {
    const { person, program, headers, confirmed } = await withProgram();
    const { id } = await person.createAlias();
    const change = async (forwardTo: string) => {
      const body = { aliasIds: [id], change: { forwardTo } };
      const { body: answer } = await program.call("changeAliases", { headers, body });
      return [answer.changed, answer.failed.map(({ code }: { code: string }) => code)];
    };
    for (const wrong of ["eve@example.net", "https://hooks.example.org/in"])
      expect(await change(wrong)).toEqual([0, ["invalid"]]);
    expect(await change(confirmed)).toEqual([1, []]);
  });

  it("does not touch aliases of another account", async () => {
    const { update } = await withProgram();
    const { person } = await withProgram();
    const { id } = await person.createAlias();
    expect((await update(id, { notes: "mine" })).status).toBe(404);
  });

  it("with a login session, an alias may forward to any destination", async () => {
    const { person } = await withProgram();
    const { id } = await person.createAlias({ forwardTo: "https://hooks.example.org/in" });
    const body = { forwardTo: "new@example.net" };
    expect((await person.call("updateAlias", { params: { aliasId: id }, body })).status).toBe(200);
  });
});
