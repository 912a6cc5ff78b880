import { setTimeout as wait } from "node:timers/promises";
import { type AliasWire, aliasExportFormats } from "@kauke/contract";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;

beforeEach(async () => {
  server = await startTestServer();
  ann = await new Visitor(server).register("ann@people.example");
});
afterEach(() => server.close());

const download = (visitor: Visitor, format: string, query = "", headers = {}) =>
  visitor.send({ method: "GET", url: `/api/aliases/${visitor.userId}/export/${format}${query}`, headers });

const hard = [
  { alias: "Plain", forwardTo: "ann@people.example" },
  { alias: "two", forwardTo: "ann@people.example, bo@people.example", notes: 'a "quoted", note\nof two lines ąč 🎉' },
  { alias: "-dash", forwardTo: "ann@people.example", notes: "=1+1" },
  { alias: "hook", forwardTo: "https://hook.example/a?b=1,2, ann@people.example", notes: "+49" },
  { alias: "off", forwardTo: "bo@people.example", domain: "vejas.test" },
];

async function plant(): Promise<void> {
  for (const { domain = "kauke.test", ...body } of hard) {
    const forwardTo = body.forwardTo.replace(",2,", "%2C2,");
    const { id } = await ann.createAlias({ ...body, forwardTo, domain });
    if (body.alias === "off") await ann.call("toggleAlias", { params: { aliasId: id }, body: { active: false } });
  }
}

const aliasesOf = async (visitor: Visitor) => {
  const { aliases } = (await visitor.call("listAliases")).body;
  return aliases
    .map((it: AliasWire) => [
      `${it.alias}@${it.domain}`.toLowerCase(),
      it.lastForwardTo ?? it.forwardTo,
      it.notes,
      it.active,
    ])
    .sort();
};

/** Imports a file into the account, after the account's aliases were deleted. */
async function importAgain(file: string): Promise<void> {
  for (const { id } of (await ann.call("listAliases")).body.aliases)
    await ann.call("deleteAlias", { params: { aliasId: id } });
  const headers = { "content-type": "application/octet-stream" };
  const { status, body } = await ann.send({ method: "POST", url: "/api/imports", payload: Buffer.from(file), headers });
  expect([status, body.counts?.create], JSON.stringify(body)).toEqual([201, hard.length]);
  await ann.call("runImport", { params: { importId: body.importId } });
  for (;;) {
    const { imports } = (await ann.call("listImports")).body;
    if (imports[0].state === "done") return;
    await wait(20);
  }
}

describe("aliases as a file of another service", () => {
  test.each(aliasExportFormats)("%s: exported aliases are equal after an import", async (format) => {
    await plant();
    const before = await aliasesOf(ann);
    const { status, body, headers } = await download(ann, format);
    expect(status).toBe(200);
    expect(headers["content-disposition"]).toBe(
      `attachment; filename="kauke-${format}-2026-11-21.${format === "forward-email" ? "txt" : "csv"}"`,
    );
    await importAgain(body);
    // Data that a format cannot express is lost: addy.io's format has no active state, Forward Email's no notes.
    const kept = before.map(([address, to, notes, active]: [string, string, string | null, boolean]) => [
      address,
      to,
      format === "forward-email" ? null : notes,
      format === "addy" ? true : active,
    ]);
    expect(await aliasesOf(ann)).toEqual(kept);
  });

  it("is CSV of RFC 4180, and only for a spreadsheet are formulas made harmless", async () => {
    await plant();
    const { body } = await download(ann, "simplelogin");
    expect(body).toContain("alias,note,enabled,mailboxes\r\n");
    expect(body).toContain("-dash@kauke.test,=1+1,True,ann@people.example\r\n");
    expect(body).toContain('two@kauke.test,"a ""quoted"", note\nof two lines ąč 🎉",True,ann@people.example bo@people');
    const safe = (await download(ann, "simplelogin", "?safe=spreadsheet")).body;
    expect(safe).toContain("'-dash@kauke.test,'=1+1,True,ann@people.example\r\n");
    expect(safe).toContain("hook@kauke.test,'+49,True,");
    await importAgain(safe);
    expect((await aliasesOf(ann)).map((it: unknown[]) => it[2])).toContain("=1+1");
  });

  it("writes Forward Email's records as lines of a zone, none longer than DNS allows", async () => {
    const many = Array.from({ length: 10 }, (_, index) => `a-mailbox-with-a-long-name-${index}@people.example`);
    await ann.createAlias({ alias: "many", forwardTo: many.join(", ") });
    const { body } = await download(ann, "forward-email");
    for (const line of body.trimEnd().split("\r\n")) {
      expect(line).toMatch(/^kauke\.test\.\t3600\tIN\tTXT\t"forward-email=many:/);
      for (const text of line.match(/"[^"]*"/g)) expect(text.length).toBeLessThanOrEqual(257);
    }
    expect(body.match(/many:/g)).toHaveLength(10);
  });

  it("needs the owner's session or a key with aliases:read, and a known format", async () => {
    await plant();
    expect((await download(new Visitor(server), "addy")).status).toBe(401);
    const bo = await new Visitor(server).register();
    const foreign = await bo.send({ method: "GET", url: `/api/aliases/${ann.userId}/export/addy` });
    expect(foreign.status).toBe(403);
    expect((await download(ann, "toString")).status).toBe(404);
    expect((await download(ann, "addy", "", { "sec-fetch-site": "cross-site" })).status).toBe(403);
    const keyWith = async (scope: string) =>
      (await ann.call("createApiKey", { body: { name: "k", scopes: [scope] } })).body.secret;
    const byKey = async (scope: string) =>
      server.app.inject({
        method: "GET",
        url: `/api/aliases/${ann.userId}/export/addy`,
        headers: { authorization: `Bearer ${await keyWith(scope)}` },
      });
    expect((await byKey("aliases:read")).statusCode).toBe(200);
    expect((await byKey("aliases:write")).statusCode).toBe(403);
  });
});
