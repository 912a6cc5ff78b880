/** A mail program writes to addresses that grammars forbid, in its envelope and its header, with and without quotes. */
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { beforeEach, expect, test } from "vitest";

const { mx, system, person } = await setUpForwarding();
const { id } = await person.createAlias({ alias: "writer", forwardTo: "owner@inbox.example" });
const login = await person.createSmtpCredential(id);

beforeEach(() => mx.reset());

const long = `reply+${"0123456789abcdef".repeat(6)}@reply.planner.example`;

test.each([
  ["ann@mobile.example", "ann@mobile.example"],
  ['"taro..yamada"@mobile.example', "taro..yamada@mobile.example"],
  ["taro..yamada@mobile.example", "taro..yamada@mobile.example"],
  ["hanako.@mobile.example", '"hanako."@mobile.example'],
  ['"ann lee"@mobile.example', '"ann lee"@mobile.example'],
  [long, `Acme <${long}>`],
])("a submitted message to %s, with %s in its header, is sent to the very spelling", async (rcpt, named) => {
  const talk = await signedInTalk(system.submissionPort, login);
  await talk.ask(`MAIL FROM:<${login.username}>`);
  expect(await talk.ask(`RCPT TO:<${rcpt}>`)).toMatch(/^250 /);
  await talk.ask("DATA");
  expect(await talk.ask(`From: ${login.username}\r\nTo: ${named}\r\nSubject: s\r\n\r\nhello\r\n.`)).toMatch(/^250 /);
  talk.close();
  const [mail] = await mx.waitForMessages(1);
  expect(mail?.rcptTo).toEqual([rcpt]);
  expect(String(mail?.bytes).replace(/\r\n /g, " ")).toContain(`\r\nTo: ${named}\r\n`);
});

test.each(["ann@lists.example", "news..off@lists.example", long, "%22ann%2Cx%22@lists.example"])(
  "List- fields of %s are kept and reach the list by a reply address",
  async (address) => {
    const { alias } = await person.createAlias({ forwardTo: "me@inbox.example" });
    const fields = ["List-Unsubscribe", "List-Post"].map((name) => `${name}: <mailto:${address}?subject=x>`);
    const message = `From: l@lists.example\r\nSubject: s\r\n${fields.join("\r\n")}\r\n\r\nx\r\n`;
    await sendMail({ port: system.mxPort, from: "l@lists.example", to: `${alias}@kauke.test`, message });
    const copy = String((await mx.waitForMessages(1))[0]?.bytes);
    for (const name of ["List-Unsubscribe", "List-Post"])
      expect(copy).toMatch(new RegExp(`^${name}: <mailto:r(?:-[a-z2-7]{5}){4}@kauke\\.test\\?subject=x>\\r$`, "m"));
  },
);
