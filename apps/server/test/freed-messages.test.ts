/** Memory of a large message is freed by hand once nothing can read it any more, and never before. */
import { type ForwardingSystem, startForwardingSystem } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

const body = `${"0123456789abcdef".repeat(4)}\r\n`.repeat(5000);
const message = `From: Ann <ann@example.org>\r\nSubject: large\r\n\r\n${body}`;
const arrivedBody = (raw: Buffer | undefined) => String(raw).slice(String(raw).indexOf("\r\n\r\n") + 4);

let forwarding: ForwardingSystem;
/** Sizes of the memory freed by hand, if it was large enough to be that of a whole message. */
const freed: number[] = [];

beforeAll(async () => {
  const transfer = ArrayBuffer.prototype.transfer;
  vi.spyOn(ArrayBuffer.prototype, "transfer").mockImplementation(function (this: ArrayBuffer, length?: number) {
    if (this.byteLength >= message.length) freed.push(this.byteLength);
    return transfer.call(this, length);
  });
  forwarding = await startForwardingSystem({ env: { KAUKE_RETRY_SCHEDULE: "1s,1s,1s" } });
});

beforeEach(() => {
  forwarding.mx.reset();
  forwarding.hook.reset();
  freed.length = 0;
});

afterAll(async () => {
  vi.restoreAllMocks();
  await forwarding.close();
});

async function sendTo(...forwardTo: string[]): Promise<string> {
  const person = await registerPerson(forwarding.system.url);
  const to: string[] = [];
  for (const destinations of forwardTo) {
    const { alias, domain } = await person.createAlias({ forwardTo: destinations });
    to.push(`${alias}@${domain}`);
  }
  return (await sendMail({ port: forwarding.system.mxPort, to, message })).last;
}

test("when its only destination has taken it, its memory is freed before the garbage collector would", async () => {
  expect(await sendTo("jonas@inbox.example")).toMatch(/^250 /);
  expect(arrivedBody(forwarding.mx.messages[0]?.bytes)).toBe(body);
  expect(freed).toHaveLength(1);
});

test("when the destinations of all its aliases have taken it, its memory is freed once", async () => {
  expect(await sendTo("jonas@inbox.example", "ona@inbox.example, petras@inbox.example")).toMatch(/^250 /);
  expect(forwarding.mx.messages.map((it) => arrivedBody(it.bytes))).toEqual([body, body, body]);
  expect(freed).toHaveLength(1);
});

test("while a destination still has to get it, it keeps its memory, and arrives complete", async () => {
  let asked = 0;
  forwarding.mx.options = {
    answer: ({ stage, line }) =>
      stage === "rcpt" && line.includes("later@") && asked++ === 0 ? "451 4.3.0 later" : undefined,
  };
  expect(await sendTo("jonas@inbox.example", "later@inbox.example")).toMatch(/^250 /);
  expect(freed).toEqual([]);
  await vi.waitFor(() => expect(forwarding.mx.messages).toHaveLength(2), { timeout: 20_000 });
  expect(forwarding.mx.messages.map((it) => arrivedBody(it.bytes))).toEqual([body, body]);
});

test("with a webhook among the destinations its memory is left to the garbage collector", async () => {
  expect(await sendTo(`jonas@inbox.example, ${forwarding.hook.url}`)).toMatch(/^250 /);
  const called = JSON.parse(String(forwarding.hook.requests[0]?.body)) as { data: { raw: string } };
  expect(Buffer.from(called.data.raw, "base64").toString()).toBe(message);
  expect(freed).toEqual([]);
});
