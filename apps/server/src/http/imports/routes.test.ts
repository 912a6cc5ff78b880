import { setTimeout as wait } from "node:timers/promises";
import type { AliasWire, ImportRowWire } from "@kauke/contract";
import { strToU8, zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Reply, startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;

beforeEach(async () => {
  server = await startTestServer();
  ann = await new Visitor(server).register("ann@people.example");
});
afterEach(() => server.close());

function upload(visitor: Visitor, file: string | Buffer, query = ""): Promise<Reply> {
  const headers = { "content-type": "application/octet-stream" };
  return visitor.send({ method: "POST", url: `/api/imports${query}`, payload: Buffer.from(file), headers });
}

const read = (visitor: Visitor, importId: string, query = "") =>
  visitor.send({ method: "GET", url: `/api/imports/${importId}${query}` });

/** Waits until an import has ended. */
async function ended(visitor: Visitor, importId: string): Promise<Reply["body"]> {
  for (;;) {
    const { body } = await read(visitor, importId);
    if (body.state !== "running" && body.state !== "undoing") return body;
    await wait(20);
  }
}

async function run(visitor: Visitor, importId: string): Promise<Reply["body"]> {
  expect((await visitor.call("runImport", { params: { importId } })).status).toBe(200);
  return ended(visitor, importId);
}

const aliasesOf = async (visitor: Visitor) =>
  (await visitor.call("listAliases")).body.aliases.map((it: AliasWire) => ({
    address: `${it.alias}@${it.domain}`,
    to: it.lastForwardTo ?? it.forwardTo,
    active: it.active,
    notes: it.notes,
  }));

const simpleLogin = [
  "alias,note,enabled,mailboxes",
  'shop@simplelogin.com,"Shop, with a ""comma""",True,ann@people.example',
  "Garten@kauke.test,,False,ann@people.example bo@people.example",
  "admin@kauke.test,,True,ann@people.example",
  "bad name@kauke.test,,True,ann@people.example",
  "shop@simplelogin.com,again,True,ann@people.example",
  "ünï@aleeas.com,'=1+1,True,",
].join("\r\n");

describe("an import of a file", () => {
  it("refuses a body of another content type without reading it", async () => {
    for (const type of ["application/json", "Application/JSON; charset=utf-8", "text/csv"]) {
      const headers = { "content-type": type };
      const payload = Buffer.from(`[${"[],".repeat(200_000)}`);
      const { status, body } = await ann.send({ method: "POST", url: "/api/imports", payload, headers });
      expect([status, body.message]).toEqual([415, "The body must be the file, as application/octet-stream."]);
    }
  });

  it("is a dry run with a reason for each row, and makes nothing", async () => {
    const { status, body } = await upload(ann, simpleLogin);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body).toMatchObject({ state: "planned", format: "simplelogin-csv", domain: "kauke.test", rows: 6, made: 0 });
    expect(body.counts).toMatchObject({ create: 1, twin: 2, reserved: 1, invalid: 1, exists: 1 });
    expect(body.unconfirmed).toEqual([]);
    const { page } = (await read(ann, body.importId)).body;
    expect(page).toMatchObject({ number: 0, count: 1 });
    expect(page.rows.map((row: ImportRowWire) => [row.row, row.result, row.becomes])).toEqual([
      [1, "twin", "shop@kauke.test"],
      [2, "create", "Garten@kauke.test"],
      [3, "reserved", null],
      [4, "invalid", null],
      [5, "exists", null],
      [6, "twin", expect.stringMatching(/^u-ni-?\.[a-z2-7]{6}@kauke\.test$/)],
    ]);
    expect(page.rows.every((row: ImportRowWire) => row.result === "create" || row.reason !== null)).toBe(true);
    const { page: reserved } = (await read(ann, body.importId, "?result=reserved")).body;
    expect(reserved.rows.map((row: ImportRowWire) => row.address)).toEqual(["admin@kauke.test"]);
    expect(await aliasesOf(ann)).toEqual([]);
  });

  it("says in the dry run whose note is cut", async () => {
    const cut = "Its note is cut: a note has 128 characters at most.";
    const file = [
      "alias,note,enabled,mailboxes",
      `whole@kauke.test,${"n".repeat(128)},True,ann@people.example`,
      `long@kauke.test,${"n".repeat(129)},True,ann@people.example`,
      `later@kauke.test,${" ".repeat(200)}${"n".repeat(3000)},True,ann@people.example`,
      `blank@kauke.test,short${" ".repeat(200)},True,ann@people.example`,
      `twin@sl.example,${"n".repeat(108)},True,ann@people.example`,
      `far@sl.example,${"n".repeat(128)},True,ann@people.example`,
    ].join("\n");
    const { importId } = (await upload(ann, file)).body;
    const { rows } = (await read(ann, importId)).body.page;
    const isCut = rows.map(({ reason }: ImportRowWire) => reason?.includes(cut) ?? false);
    expect(isCut).toEqual([false, true, true, false, false, true]);
    expect([rows[0].reason, rows[1].reason]).toEqual([null, cut]);
    expect(rows[1].notes).toBe("n".repeat(128));
    expect(rows[5].notes).toMatch(/^n+ was far@sl\.example$/);
    expect(rows[5].notes).toHaveLength(128);
  });

  it("says it of SimpleLogin's archive too", async () => {
    const aliases = [128, 129].map((length, id) => {
      return { id, email: `a${id}@kauke.test`, note: "n".repeat(length), enabled: true, mailbox_id: 1 };
    });
    const file = zipSync({
      "aliases.json": strToU8(JSON.stringify(aliases)),
      "mailboxes.json": strToU8('[{"id":1,"email":"ann@people.example"}]'),
    });
    const { importId } = (await upload(ann, Buffer.from(file))).body;
    const { rows } = (await read(ann, importId)).body.page;
    expect(rows.map(({ reason }: ImportRowWire) => reason)).toEqual([null, expect.stringContaining("note is cut")]);
  });

  it("makes the aliases when it is run, once, and nothing when the file is imported again", async () => {
    const { importId } = (await upload(ann, simpleLogin)).body;
    const done = await run(ann, importId);
    expect(done).toMatchObject({ state: "done", made: 3, progress: { done: 3, total: 3 } });
    expect(done.undoUntil).not.toBeNull();
    const made = await aliasesOf(ann);
    expect(made).toHaveLength(3);
    expect(made).toContainEqual({
      address: "shop@kauke.test",
      to: "ann@people.example",
      active: true,
      notes: 'Shop, with a "comma" was shop@simplelogin.com',
    });
    expect(made).toContainEqual({
      address: "Garten@kauke.test",
      to: "ann@people.example, bo@people.example",
      active: false,
      notes: null,
    });
    expect(made.find((it: { address: string }) => it.address.startsWith("u-ni")).notes).toBe("=1+1 was ünï@aleeas.com");
    expect(await run(ann, importId)).toMatchObject({ state: "done", made: 3 });
    const again = (await upload(ann, simpleLogin)).body;
    expect(again.counts).toMatchObject({ create: 0, twin: 0, exists: 4 });
    expect(await run(ann, again.importId)).toMatchObject({ state: "done", made: 0 });
    expect(await aliasesOf(ann)).toHaveLength(3);
  });

  it("can be undone within an hour, except for aliases that were changed", async () => {
    const { importId } = (await upload(ann, simpleLogin)).body;
    await run(ann, importId);
    const { aliases } = (await ann.call("listAliases")).body;
    const shop = aliases.find((it: AliasWire) => it.alias === "shop");
    await ann.call("updateAlias", { params: { aliasId: shop.id }, body: { notes: "mine" } });
    await ann.call("undoImport", { params: { importId } });
    const undone = await ended(ann, importId);
    expect(undone).toMatchObject({ state: "undone", undone: 2, kept: ["shop@kauke.test"], keptCount: 1 });
    expect((await aliasesOf(ann)).map((it: { address: string }) => it.address)).toEqual(["shop@kauke.test"]);
    const bo = await new Visitor(server).register();
    await bo.createAlias({ alias: "garten" });
  });

  it("can't be undone after an hour", async () => {
    const { importId } = (await upload(ann, simpleLogin)).body;
    await run(ann, importId);
    for (const seconds of [1500, 1500, 601]) {
      server.clock.advance(seconds);
      expect((await ann.call("getSession")).status).toBe(200);
    }
    const { status, body } = await ann.call("undoImport", { params: { importId } });
    expect([status, body.code]).toEqual([409, "too_late"]);
    expect(await server.store.aliases.count()).toBe(3);
  });

  it("reports addresses of other accounts as taken, including reserved ones, and never tells whose they are", async () => {
    const bo = await new Visitor(server).register();
    await bo.createAlias({ alias: "garten" });
    const held = await bo.createAlias({ alias: "held" });
    await bo.call("deleteAlias", { params: { aliasId: held.id } });
    const file =
      "alias,note,enabled,mailboxes\ngarten@kauke.test,,True,a@b.example\nheld@kauke.test,,True,a@b.example\nheld@sl.example,,True,a@b.example\n";
    const { importId, counts } = (await upload(ann, file)).body;
    expect(counts).toMatchObject({ taken: 2, twin: 1 });
    expect(await run(ann, importId)).toMatchObject({ made: 1 });
    expect((await aliasesOf(ann))[0].address).toMatch(/^held\.[a-z2-7]{6}@kauke\.test$/);
  });

  it("leaves out an address that another account takes between dry run and run", async () => {
    const { importId } = (await upload(ann, simpleLogin)).body;
    const bo = await new Visitor(server).register();
    await bo.createAlias({ alias: "garten" });
    await ann.createAlias({ alias: "shop" });
    const done = await run(ann, importId);
    expect(done.counts).toMatchObject({ taken: 1, exists: 2, twin: 1, create: 0 });
    expect(done).toMatchObject({ state: "done", made: 1 });
  });

  it("is visible to its account only", async () => {
    const { importId } = (await upload(ann, simpleLogin)).body;
    const bo = await new Visitor(server).register();
    for (const name of ["getImport", "runImport", "undoImport", "deleteImport"] as const)
      expect([name, (await bo.call(name, { params: { importId } })).status]).toEqual([name, 404]);
    expect((await bo.call("listImports")).body.imports).toEqual([]);
    expect((await ann.call("listImports")).body.imports).toHaveLength(1);
    expect((await ann.call("deleteImport", { params: { importId } })).status).toBe(200);
    expect((await read(ann, importId)).status).toBe(404);
  });

  it("needs the account's session, a domain of ours, and the content type of a file", async () => {
    expect((await upload(new Visitor(server), simpleLogin)).status).toBe(401);
    expect((await upload(ann, simpleLogin, "?domain=elsewhere.example")).body.errors).toHaveProperty("domain");
    expect((await upload(ann, simpleLogin, "?domain=vejas.test")).body.domain).toBe("vejas.test");
    const asJson = { method: "POST" as const, url: "/api/imports", payload: "{}" };
    expect((await ann.send({ ...asJson, headers: { "content-type": "text/csv" } })).status).toBe(415);
    const bytes = { "content-type": "application/octet-stream" };
    expect((await ann.send({ ...asJson, url: "/api/keys", headers: bytes })).status).toBe(415);
    expect((await upload(ann, simpleLogin, "?format=mailx-csv")).body.message).toContain("SimpleLogin");
  });

  it("says in the error that a file is of a password manager or of no known format", async () => {
    const bitwarden =
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n";
    const answer = await upload(ann, bitwarden);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining("Bitwarden")]);
    expect((await upload(ann, "just text")).status).toBe(400);
    expect((await upload(ann, "")).status).toBe(400);
    expect(server.logged).toEqual([]);
  });

  it("gives a label of the account to all aliases that it creates, and refuses a label of another account", async () => {
    const label = (await ann.call("createLabel", { body: { name: "moved", colour: "blue" } })).body;
    const labelId = label.label?.id ?? label.id;
    const bo = await new Visitor(server).register();
    expect((await upload(bo, simpleLogin, `?label=${labelId}`)).body.errors).toHaveProperty("label");
    const { importId } = (await upload(ann, simpleLogin, `?label=${labelId}`)).body;
    expect(await run(ann, importId)).toMatchObject({ made: 3 });
    const { aliases } = (await ann.call("listAliases")).body;
    expect(aliases.map((it: AliasWire) => it.labels)).toEqual([[labelId], [labelId], [labelId]]);
    await ann.call("undoImport", { params: { importId } });
    expect(await ended(ann, importId)).toMatchObject({ undone: 3, keptCount: 0 });
  });

  it("is limited in number per day", async () => {
    for (let count = 0; count < 20; count += 1) expect((await upload(ann, simpleLogin)).status).toBe(201);
    expect((await upload(ann, simpleLogin)).status).toBe(429);
    expect((await ann.call("listImports")).body.imports).toHaveLength(1);
  });
});
