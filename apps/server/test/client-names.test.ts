/**
 * The client's name in Received, over real sockets: confirmed by DNS or "unknown". Looking it up delays the mail by
 * half a second at most.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const dns = createFakeDns({
  "7.0.0.127.in-addr.arpa": { ptr: ["mail.sender.example"] },
  "mail.sender.example": { a: ["127.0.0.7"] },
  "8.0.0.127.in-addr.arpa": { ptr: ["mail.sender.example"] },
  "9.0.0.127.in-addr.arpa": { isSilent: true },
});
const { mx, system, person } = await setUpForwarding({ dns, env: { KAUKE_RETRY_SCHEDULE: "1s,1s,1s" } });

beforeEach(() => mx.reset());

/** @returns the Received field that we wrote, on one line, and the milliseconds until the last reply */
async function receivedFrom(localAddress: string) {
  const { alias } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const message = "From: ann@sender.example\r\nSubject: hi\r\n\r\nbody\r\n";
  const began = performance.now();
  const sent = { port: system.mxPort, helo: "helo.sender.example", to: `${alias}@kauke.test`, message, localAddress };
  expect((await sendMail(sent)).last).toMatch(/^250 /);
  const tookMs = performance.now() - began;
  const [mail] = await mx.waitForMessages(1);
  const field = /^Received: [^]*?\r\n(?![ \t])/m.exec(String(mail?.bytes))?.[0] ?? "";
  return { received: field.replace(/\s+/g, " "), tookMs };
}

test("a client whose name resolves back to its address is named", async () => {
  const { received } = await receivedFrom("127.0.0.7");
  expect(received).toContain("from helo.sender.example (mail.sender.example [127.0.0.7]) by mail.kauke.test");
});

test("the name is stored with a message that is queued", async () => {
  let asked = 0;
  mx.options = { answer: ({ stage }) => (stage === "rcpt" && asked++ === 0 ? "450 4.2.1 later" : undefined) };
  expect((await receivedFrom("127.0.0.7")).received).toContain("(mail.sender.example [127.0.0.7])");
  expect(asked).toBe(2);
});

test("a name that resolves to somebody else's address, and an address without a name, are written as unknown", async () => {
  expect((await receivedFrom("127.0.0.8")).received).toContain("(unknown [127.0.0.8])");
  mx.messages.length = 0;
  expect((await receivedFrom("127.0.0.1")).received).toContain("(unknown [127.0.0.1])");
});

test("a name server that never answers delays the sender by half a second at most", async () => {
  const { received, tookMs } = await receivedFrom("127.0.0.9");
  expect(received).toContain("(unknown [127.0.0.9])");
  // The server may look up the name for half a second; the larger limit allows for a machine under load.
  expect(tookMs).toBeLessThan(4000);
});
