/**
 * Realistic messages through the whole mail path: the body is forwarded byte for byte, to a mailbox and to a webhook.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readHeader } from "@kauke/mail-rfc";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../../test-vectors/eml", import.meta.url));
const fixtures = readdirSync(folder).filter((name) => name.endsWith(".eml"));

const { mx, hook, system, person } = await setUpForwarding();

test("there are at least the sixteen fixtures that the documentation promises", () => {
  expect(fixtures.length).toBeGreaterThanOrEqual(16);
});

/** Fixtures whose body changes, since addresses in it become reply addresses: see attacks/policy/calendar.test.ts. */
const invitations = new Set(["calendar-invite.eml"]);

test.each(fixtures.filter((name) => !invitations.has(name)))("%s is forwarded unchanged", async (name) => {
  const message = readFileSync(`${folder}/${name}`);
  const alias = await person.createAlias({ forwardTo: `jonas@inbox.example, ${hook.url}` });
  const already = { mails: mx.messages.length, calls: hook.requests.length };
  const { last } = await sendMail({
    port: system.mxPort,
    to: `${alias.alias}@kauke.test`,
    message,
    params: "BODY=8BITMIME SMTPUTF8",
  });
  expect(last).toMatch(/^250 /);
  const sent = mx.messages[already.mails]?.bytes as Buffer;
  // The header is rewritten; the blank line and everything after it stay. A message without a header gets a blank line.
  const body = bodyOf(whole(message));
  const start = sent.length - body.length;
  expect(sent.subarray(start).equals(body)).toBe(true);
  expect(sent.toString("latin1", 0, start)).toMatch(
    name === "headers-only.eml" ? /^Delivered-To: [^]*\r\n$/ : /^Delivered-To: [^]*\r\n\r\n$/,
  );
  const call = JSON.parse(String(hook.requests[already.calls]?.body)) as { data: { raw: string } };
  expect(Buffer.from(call.data.raw, "base64").equals(whole(message))).toBe(true);
});

/** Adds a final line end to a message without one, as SMTP lines end in CRLF (RFC 5321 §4.1.1.4). */
function whole(message: Buffer): Buffer {
  return message.length === 0 || message.subarray(-2).toString("latin1") === "\r\n"
    ? message
    : Buffer.concat([message, Buffer.from("\r\n")]);
}

function bodyOf(message: Buffer): Buffer {
  const { end, isSeparated } = readHeader(message);
  return message.subarray(isSeparated ? end + 2 : end);
}
