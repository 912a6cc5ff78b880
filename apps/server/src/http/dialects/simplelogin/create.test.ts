import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestServer } from "../../test/test-server.ts";
import { KeyHolder, startKeyServer } from "./client.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startKeyServer();
});
afterAll(() => server.close());

const aHolder = () => new KeyHolder(server).begin();

describe("a random alias", () => {
  it("is created with an empty body, forwards to the default mailbox and notes the site", async () => {
    const ann = await aHolder();
    const { status, body } = await ann.call("POST", "/api/alias/random/new?hostname=www.shop.example");
    expect([status, body.email]).toEqual([201, body.alias]);
    expect(body).toMatchObject({ id: 1, enabled: true, note: "www.shop.example", mailboxes: [{ email: ann.email }] });
  });
});
