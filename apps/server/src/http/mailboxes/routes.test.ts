import { aliasWire, isAliasName } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

const settings = { origin: "http://localhost:3000", domain: "kauke.test" };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ confirmation: settings });
});
afterAll(() => server.close());

const mailboxesOf = async (who: Visitor) => (await who.call("listMailboxes")).body.mailboxes;

describe("the mailboxes of an account", () => {
  it("are its own e-mail and every mailbox its aliases forward to, with stable ids", async () => {
    const ann = await new Visitor(server).register("ann.list@people.example");
    server.clock.advance(1);
    await ann.createAlias({ forwardTo: "ann+shop@inbox.example" });
    server.clock.advance(1);
    await ann.createAlias({ forwardTo: "ben@inbox.example" });
    const paused = await ann.createAlias({ forwardTo: "Ann+Shop@inbox.example, https://hooks.example.org/x" });
    await ann.call("toggleAlias", { params: { aliasId: paused.id }, body: { active: false } });
    const listed = await mailboxesOf(ann);
    expect(listed).toMatchObject([
      { address: "ann.list@people.example", state: "new", isDefault: false, aliasCount: 0 },
      { address: "ann+shop@inbox.example", state: "new", isDefault: false, aliasCount: 2 },
      { address: "ben@inbox.example", aliasCount: 1 },
    ]);
    expect(await mailboxesOf(ann)).toEqual(listed);
  });
});

describe("a generated alias", () => {
  it("forwards to the default mailbox", async () => {
    const ann = await new Visitor(server).register("ann.gen@people.example");
    const refused = await ann.call("generateAlias", { body: {} });
    expect(refused).toMatchObject({ status: 403, body: { code: "no_mailbox" } });
    const answer = await ann.call("generateAlias", {
      body: { forwardTo: "x@inbox.example", hostname: "shop.example" },
    });
    expect(answer.status).toBe(201);
    expect(aliasWire.parse(answer.body).notes).toBe("shop.example");
    expect(isAliasName(answer.body.alias)).toBe(true);
  });
});
