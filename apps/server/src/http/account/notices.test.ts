import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function withNotice() {
  const person = await new Visitor(server).register();
  const notice = {
    id: randomUUID(),
    userId: person.userId,
    kind: "delivery_failed" as const,
    aliasId: null,
    text: "Mail could not be delivered.",
    createdAt: server.clock.now(),
  };
  await server.store.notices.insert(notice);
  return { person, notice };
}

describe("notices", () => {
  it("are listed for their owner", async () => {
    const { person, notice } = await withNotice();
    const { userId: _, createdAt, ...shown } = notice;
    expect((await person.call("listNotices")).body).toEqual({
      notices: [{ ...shown, createdAt: createdAt.toISOString() }],
    });
  });

  it("can be dismissed once, by their owner only", async () => {
    const { person, notice } = await withNotice();
    const params = { noticeId: notice.id };
    const other = await new Visitor(server).register();
    expect((await other.call("dismissNotice", { params })).body.message).toBe("Notice not found");
    expect((await person.call("dismissNotice", { params })).status).toBe(200);
    expect((await person.call("dismissNotice", { params })).status).toBe(404);
    expect((await person.call("listNotices")).body.notices).toEqual([]);
  });
});
