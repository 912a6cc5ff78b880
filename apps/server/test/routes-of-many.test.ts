/** Changes of many aliases at once apply to all mail that arrives after the call was answered. */
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const { mx, system, person } = await setUpForwarding({ env: { KAUKE_LIMITS: "alias_create=1000/3600" } });
beforeEach(() => mx.reset());

const write = async (alias: string) => {
  const to = `${alias}@kauke.test`;
  const message = `From: eve@sender.example\r\nTo: ${to}\r\nSubject: x\r\n\r\nhello\r\n`;
  return (await sendMail({ port: system.mxPort, from: "eve@sender.example", to, message })).last;
};

/** Creates aliases and sends mail to them, so that their routes are cached. */
async function known(count: number, forwardTo: string) {
  const aliases = [];
  for (let index = 0; index < count; index += 1) aliases.push(await person.createAlias({ forwardTo }));
  for (const { alias } of aliases) expect(await write(alias)).toMatch(/^250/);
  mx.reset();
  return aliases;
}

const recipients = () => mx.messages.flatMap(({ rcptTo }) => rcptTo);

test("pausing, redirecting and deleting many aliases applies to the next mail", async () => {
  const aliases = await known(3, "one@inbox.example");
  const aliasIds = aliases.map(({ id }) => id);
  const bulk = (change: object) => person.call("POST", "/api/aliases/bulk", { aliasIds, change });
  expect(await bulk({ active: false })).toMatchObject({ status: 200 });
  for (const { alias } of aliases) expect(await write(alias)).toMatch(/^250/);
  expect(recipients()).toEqual([]);
  await bulk({ active: true });
  for (const { alias } of aliases) await write(alias);
  expect(new Set(recipients())).toEqual(new Set(["one@inbox.example"]));
  mx.reset();
  await bulk({ forwardTo: "two@inbox.example" });
  for (const { alias } of aliases) await write(alias);
  expect(new Set(recipients())).toEqual(new Set(["two@inbox.example"]));
  expect(await bulk({ delete: true })).toMatchObject({ status: 200 });
  for (const { alias } of aliases) expect(await write(alias)).toMatch(/^550/);
});

test("removing a mailbox applies to the next mail of its aliases", async () => {
  const aliases = await known(2, "gone@inbox.example, stays@inbox.example");
  const { body } = await person.call("GET", "/api/mailboxes");
  const { mailboxes } = body as { mailboxes: { id: string; email: string }[] };
  const gone = mailboxes.find((it) => it.email === "gone@inbox.example");
  expect(await person.call("DELETE", `/api/mailboxes/${gone?.id}`)).toMatchObject({ status: 200 });
  for (const { alias } of aliases) await write(alias);
  expect(new Set(recipients())).toEqual(new Set(["stays@inbox.example"]));
});
