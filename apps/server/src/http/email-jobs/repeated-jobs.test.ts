/** A request to send whose response was lost, and that the client repeats with the same job id. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;
let aliasId: string;
let jobId: string;

beforeEach(async () => {
  server = await startTestServer({ config: { undoSeconds: 6 } });
  ann = await new Visitor(server).register("ann@people.example");
  aliasId = await senderOf(ann);
  jobId = randomUUID();
});
afterEach(() => server.close());

async function senderOf(visitor: Visitor): Promise<string> {
  const { id } = await visitor.createAlias({ forwardTo: "ann.real@inbox.example" });
  expect((await visitor.call("createSmtpCredential", { body: { aliasId: id } })).status).toBe(201);
  return id;
}

async function attach(file: string): Promise<string> {
  const headers = { "content-type": "application/octet-stream" };
  const sent = { method: "POST", url: "/api/email-attachments", payload: Buffer.from(file), headers } as const;
  return (await ann.send(sent)).body.attachmentId;
}

const letter = { to: "rasa@example.org", subject: "Once", body: "Labas" };
const compose = (change: Record<string, unknown> = {}, visitor = ann) =>
  visitor.call("createEmailJob", { body: { ...letter, fromAliasId: aliasId, jobId, ...change } });
const queued = async () =>
  (await server.store.deliveries.claim({ now: new Date("2027-01-01T00:00:00Z"), leaseMs: 1000, limit: 50 })).deliveries;

describe("a message whose client chose its id", () => {
  it("is queued once, however often it is sent, and each response is of the same job", async () => {
    expect(await compose()).toMatchObject({
      status: 201,
      body: { jobId, canUndo: true, undoSeconds: 6, status: "pending" },
    });
    server.clock.advance(4);
    expect(await compose({ jobId: jobId.toUpperCase() })).toMatchObject({
      status: 201,
      body: { jobId, canUndo: true, undoSeconds: 2, status: "pending" },
    });
    expect(await queued()).toHaveLength(1);
  });

  it("is queued once by equal requests at the same time, with attachments too", async () => {
    const attachments = [{ id: await attach("file"), name: "a.txt" }];
    const change = { attachments, cc: ["jonas@example.org"] };
    const replies = await Promise.all([1, 2, 3].map(() => compose(change)));
    expect(replies.map(({ status, body }) => [status, body.jobId])).toEqual(Array(3).fill([201, jobId]));
    expect((await compose(change)).body.jobId).toBe(jobId);
    expect(await queued()).toHaveLength(2);
    expect(await server.store.bodies.sweep(async () => false, -1000)).toBe(1);
  });

  it("is answered after it was cancelled or sent too, and not queued again", async () => {
    await compose();
    expect((await ann.call("cancelEmailJob", { params: { jobId } })).status).toBe(200);
    expect(await compose()).toMatchObject({ status: 201, body: { jobId, canUndo: false, status: "cancelled" } });
    expect(await queued()).toEqual([]);
    const other = randomUUID();
    await compose({ jobId: other });
    for (const { id, leaseToken } of await queued()) await server.store.deliveries.finish(id, leaseToken, null);
    await ann.call("deleteAlias", { params: { aliasId } });
    expect(await compose({ jobId: other })).toMatchObject({
      status: 201,
      body: { jobId: other, canUndo: false, undoSeconds: 0, status: "sent" },
    });
    expect(await queued()).toEqual([]);
  });

  it.each([
    ["text", { body: "Labas, Rasa" }],
    ["recipient", { to: "jonas@example.org" }],
    ["kind of recipient", { to: "jonas@example.org", bcc: ["rasa@example.org"] }],
    ["time", { scheduledAt: "2026-11-22T09:00:00Z" }],
  ])("is refused with another %s under its id, and the first one stays", async (_, change) => {
    await compose();
    expect(await compose(change)).toMatchObject({ status: 409, body: { code: "job_id_taken" } });
    expect(await queued()).toHaveLength(1);
    expect((await compose({ ...change, jobId: randomUUID() })).status).toBe(201);
  });

  it("is refused under the id of another account's job, of which it learns nothing else", async () => {
    await compose();
    const eve = await new Visitor(server).register();
    const fromAliasId = await senderOf(eve);
    const refused = await compose({ fromAliasId }, eve);
    expect(refused).toMatchObject({ status: 409, body: { code: "job_id_taken" } });
    expect(JSON.stringify(refused.body)).not.toMatch(/rasa|Once/);
    expect((await eve.call("getEmailJobStatus", { params: { jobId } })).status).toBe(404);
    expect(await queued()).toHaveLength(1);
  });

  it("must have a UUID, and was not queued by a refused request with the same id", async () => {
    expect(await compose({ jobId: "1" })).toMatchObject({
      status: 400,
      body: { errors: { jobId: ["The id of a message must be a UUID"] } },
    });
    expect((await compose({ fromAliasId: randomUUID() })).status).toBe(400);
    expect((await compose({ body: "Labas, changed" })).status).toBe(201);
  });
});
