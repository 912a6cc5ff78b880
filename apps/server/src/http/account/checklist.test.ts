import { checklistMessages, limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const row = { site: "shop.example", oldAddress: "ann7@duck.com" };
const rowsNamed = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ ...row, site: `${name}${index}.example` }));

describe("the checklist", () => {
  it("is filled, ticked off, given an alias and deleted by its owner", async () => {
    const ann = await new Visitor(server).register();
    expect((await ann.call("addToChecklist", { body: { rows: [row] } })).body).toEqual({ added: 1 });
    const [listed] = (await ann.call("listChecklist")).body.rows as { id: string }[];
    expect(listed).toEqual({ ...row, id: listed?.id, aliasId: null, done: false });
    const aliasId = crypto.randomUUID();
    const changes = [{ id: String(listed?.id), done: true, aliasId }];
    expect((await ann.call("changeChecklist", { body: { changes } })).body).toEqual({ changed: 1 });
    expect((await ann.call("listChecklist")).body.rows).toEqual([{ ...listed, done: true, aliasId }]);
    const bob = await new Visitor(server).register();
    expect((await bob.call("changeChecklist", { body: { changes } })).body).toEqual({ changed: 0 });
    expect((await bob.call("listChecklist")).body.rows).toEqual([]);
    expect((await ann.call("deleteChecklist")).body).toEqual({ message: "Checklist deleted" });
    expect((await ann.call("listChecklist")).body.rows).toEqual([]);
  });

  it("refuses rows without a site or an address, and fields that it does not know are not stored", async () => {
    const ann = await new Visitor(server).register();
    for (const wrong of [
      { ...row, site: " " },
      { ...row, oldAddress: "ann" },
      { ...row, oldAddress: "a b@duck.com" },
    ])
      expect((await ann.call("addToChecklist", { body: { rows: [wrong] } })).status).toBe(400);
    const extra = { ...row, password: "hunter22", site: "extra.example" };
    expect((await ann.call("addToChecklist", { body: { rows: [extra] } })).status).toBe(200);
    const exported = JSON.stringify((await ann.call("exportAccount")).body);
    expect(exported).toContain("extra.example");
    expect(exported).not.toContain("hunter22");
  });

  it(`holds at most ${limits.checklistMax} rows, of which one call adds ${limits.checklistRowsPerCall}`, async () => {
    const ann = await new Visitor(server).register();
    const tooMany = rowsNamed(limits.checklistRowsPerCall + 1, "many");
    expect((await ann.call("addToChecklist", { body: { rows: tooMany } })).status).toBe(400);
    for (let part = 0; part < limits.checklistMax / limits.checklistRowsPerCall; part += 1) {
      const rows = rowsNamed(limits.checklistRowsPerCall, `part${part}-`);
      expect((await ann.call("addToChecklist", { body: { rows } })).status).toBe(200);
    }
    const { status, body } = await ann.call("addToChecklist", { body: { rows: [row] } });
    expect([status, body.message]).toEqual([400, checklistMessages.full]);
    expect((await ann.call("listChecklist")).body.rows).toHaveLength(limits.checklistMax);
  });

  it("may be added to 60 times and changed 1,200 times an hour", async () => {
    const ann = await new Visitor(server).register();
    for (let time = 0; time < 60; time += 1) await ann.call("addToChecklist", { body: { rows: [row] } });
    expect((await ann.call("addToChecklist", { body: { rows: [row] } })).status).toBe(429);
    const changes = [{ id: `${crypto.randomUUID()}.0`, done: true }];
    const counted = 1150;
    const rule = { action: "checklist_change", max: 1200, windowSeconds: 3600 };
    await server.store.rateLimits.takeAll(rule, { userId: ann.userId }, server.clock.now(), counted);
    for (let time = counted + 1; time < 1200; time += 1) await ann.call("changeChecklist", { body: { changes } });
    expect((await ann.call("changeChecklist", { body: { changes } })).status).toBe(200);
    expect((await ann.call("changeChecklist", { body: { changes } })).status).toBe(429);
    expect((await ann.call("deleteChecklist")).status).toBe(429);
    expect((await ann.call("listChecklist")).status).toBe(200);
  });
});
