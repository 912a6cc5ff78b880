import { pageEvents } from "@kauke/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { countedAtMost } from "./routes.ts";

const metrics = createMetrics();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ metrics });
});
afterAll(async () => {
  await server.close();
  metrics.close();
});

const total = (event: string) =>
  Number(new RegExp(`^kauke_page_events_total\\{event="${event}"\\} (\\d+)$`, "m").exec(metrics.render())?.[1] ?? 0);

describe("counting page events", () => {
  let visitor: Visitor;
  beforeEach(() => {
    visitor = new Visitor(server);
  });

  it("raises the total of each event by one, and of no other", async () => {
    for (const event of pageEvents) {
      const before = pageEvents.map(total);
      await visitor.call("countEvent", { body: { event } });
      expect(pageEvents.map(total)).toEqual(
        before.map((count, index) => count + (pageEvents[index] === event ? 1 : 0)),
      );
    }
  });

  it("sets no cookie, stores nothing and returns an empty object", async () => {
    const { body, headers } = await visitor.call("countEvent", { body: { event: "page_view" } });
    expect(body).toEqual({});
    expect(headers).not.toHaveProperty("set-cookie");
    expect(server.logged).toEqual([]);
  });

  it.each([{ event: "a@example.org" }, { event: "page_view", path: "/dashboard" }, {}, { event: 7 }])(
    "refuses %j, which no page sends, and does not count it",
    async (body) => {
      const before = metrics.render().match(/^kauke_page_events_total.*$/gm);
      expect((await visitor.call("countEvent", { body })).status).toBe(400);
      expect(metrics.render().match(/^kauke_page_events_total.*$/gm)).toEqual(before);
    },
  );

  it("refuses requests from other sites, and bodies that are not JSON", async () => {
    const url = "/api/analytics";
    const payload = '{"event":"logout"}';
    const foreign = { "content-type": "application/json", "sec-fetch-site": "cross-site" };
    expect((await visitor.send({ method: "POST", url, payload, headers: foreign })).status).toBe(403);
    const text = { "content-type": "text/plain" };
    expect((await visitor.send({ method: "POST", url, payload, headers: text })).status).toBe(415);
  });

  it("responds to a flood from one network as usual, but counts only its share, and everybody else's as before", async () => {
    const before = total("page_view");
    for (let sent = 0; sent < countedAtMost.max + 50; sent++)
      await visitor.call("countEvent", { body: { event: "page_view" } });
    expect(total("page_view") - before).toBe(countedAtMost.max);
    await new Visitor(server).call("countEvent", { body: { event: "page_view" } });
    expect(total("page_view") - before).toBe(countedAtMost.max + 1);
    server.clock.advance(countedAtMost.windowSeconds);
    await visitor.call("countEvent", { body: { event: "page_view" } });
    expect(total("page_view") - before).toBe(countedAtMost.max + 2);
  });
});
