import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;
beforeAll(async () => {
  server = await startTestServer();
  ann = await new Visitor(server).register();
});
afterAll(() => server.close());

const HOOK = "https://hooks.example.org/in";

describe("the signing secret of an alias", () => {
  it("is the one that its webhook calls are signed with, and must not be cached", async () => {
    const { id: aliasId } = await ann.createAlias({ forwardTo: HOOK });
    const { body, headers } = await ann.call("readWebhookSecret", { params: { aliasId } });
    const route = await server.store.aliases.findRouteById(aliasId);
    expect(body).toEqual({ secret: `whsec_${route?.webhookSecret.toString("base64")}` });
    expect(headers["cache-control"]).toBe("no-store");
    expect((await ann.call("readWebhookSecret", { params: { aliasId } })).body).toEqual(body);
  });

  it("renewed, replaces the old one at once, also in cached routes", async () => {
    const { id: aliasId } = await ann.createAlias({ forwardTo: HOOK });
    const { body: before } = await ann.call("readWebhookSecret", { params: { aliasId } });
    const heard: unknown[] = [];
    server.store.aliases.onRouteChange((change) => void heard.push(change));
    const { body, headers } = await ann.call("renewWebhookSecret", { params: { aliasId } });
    expect(body.secret).not.toBe(before.secret);
    expect(headers["cache-control"]).toBe("no-store");
    expect(heard).toContainEqual({ aliasId });
    const route = await server.store.aliases.findRouteById(aliasId);
    expect(body.secret).toBe(`whsec_${route?.webhookSecret.toString("base64")}`);
  });

  it("is different for every alias", async () => {
    const [one, two] = [await ann.createAlias(), await ann.createAlias()];
    const secretOf = async (aliasId: string) => (await ann.call("readWebhookSecret", { params: { aliasId } })).body;
    expect(await secretOf(one.id)).not.toEqual(await secretOf(two.id));
  });

  it("is for its owner only", async () => {
    const { id: aliasId } = await ann.createAlias();
    const { body: before } = await ann.call("readWebhookSecret", { params: { aliasId } });
    const bob = await new Visitor(server).register();
    for (const name of ["readWebhookSecret", "renewWebhookSecret"] as const) {
      const { status, body } = await bob.call(name, { params: { aliasId } });
      expect([status, body.message]).toEqual([404, "Alias not found"]);
    }
    expect((await ann.call("readWebhookSecret", { params: { aliasId } })).body).toEqual(before);
  });
});
