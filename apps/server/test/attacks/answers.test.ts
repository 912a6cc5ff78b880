/**
 * Spam through reply addresses: an account that names a hundred strangers in a message to its own alias gets a reply
 * address for each, and may write to all of them at once. Each of them counts as a recipient of submitted mail.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { expect, test } from "vitest";

const A_DAY = 3;
const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const { mx, system } = await setUpForwarding({
  dns: createFakeDns({ "inbox.example": spf, "evil.example": spf }),
  env: { KAUKE_LIMITS: `submission=${A_DAY * 5}/86400,automatic_answer=${A_DAY}/86400` },
});

const victims = Array.from({ length: 5 }, (_, at) => `victim${at}@elsewhere.example`);

/** @returns the reply addresses of the strangers named in a message to the account's own alias */
async function replyAddresses(mailbox: string): Promise<string[]> {
  const { alias } = await (await registerPerson(system.url)).createAlias({ forwardTo: mailbox });
  const message = `From: m@evil.example\r\nCc: ${victims.join(", ")}\r\nSubject: x\r\n\r\nx\r\n`;
  const from = mx.messages.length;
  await sendMail({ port: system.mxPort, from: "m@evil.example", to: `${alias}@kauke.test`, message });
  const cc = /^Cc: (.*(?:\r\n[ \t].*)*)/m.exec(String((await mx.waitForMessages(from + 1))[from]?.bytes))?.[1] ?? "";
  return [...cc.matchAll(/r(?:-[a-z2-7]{5}){4}@kauke\.test/g)].map(([address]) => address);
}

async function write(mailbox: string, to: readonly string[], field = "X-Mailer: m"): Promise<string> {
  const message = `From: ${mailbox}\r\nTo: ${to.join(", ")}\r\n${field}\r\nSubject: Buy\r\n\r\nnow\r\n`;
  return (await sendMail({ port: system.mxPort, from: mailbox, to: [...to], message })).last;
}

test("answers count as submitted mail, and those beyond the limit are deferred", async () => {
  const to = await replyAddresses("mallory@inbox.example");
  expect(to).toHaveLength(victims.length);
  for (let sent = 0; sent < A_DAY; sent += 1) expect(await write("mallory@inbox.example", to)).toMatch(/^250 /);
  expect(await write("mallory@inbox.example", to)).toMatch(/^451 4\.7\.1 /);
  await mx.waitForMessages(1 + A_DAY * victims.length);
  expect(mx.messages.filter((it) => String(it.bytes).includes("Subject: Buy"))).toHaveLength(A_DAY * victims.length);
});

test("another account's answers have a limit of their own, and a refused answer does not count", async () => {
  const to = await replyAddresses("ann@inbox.example");
  for (let tried = 0; tried <= A_DAY; tried += 1) expect(await write("eve@evil.example", to)).toMatch(/^550 /);
  expect(await write("ann@inbox.example", to)).toMatch(/^250 /);
});

test("absence notes triggered by strangers use up a limit of their own, not the owner's limit of submitted mail", async () => {
  const [to = ""] = await replyAddresses("bo@inbox.example");
  const note = () => write("bo@inbox.example", [to], "Auto-Submitted: auto-replied");
  for (let sent = 0; sent < A_DAY; sent += 1) expect(await note()).toMatch(/^250 /);
  expect(await note()).toMatch(/^451 4\.7\.1 /);
  expect(await write("bo@inbox.example", [to])).toMatch(/^250 /);
});
