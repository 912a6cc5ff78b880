/** A server from which every feature of `features.ts` is left out still forwards and sends mail. */
import { noAliasSources } from "@kauke/server/core/import/imported-alias";
import { noLeakGuard } from "@kauke/server/core/leak-guard";
import { noInvitations, quotesAsWritten } from "@kauke/server/mail/message/optional-features";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { beforeEach, expect, test } from "vitest";

const { mx, system, person } = await setUpForwarding({
  overrides: {
    features: {
      leakGuard: () => noLeakGuard,
      invitations: noInvitations,
      replaceInQuotes: quotesAsWritten,
      aliasSources: noAliasSources,
    },
  },
});

const mailbox = "jonas.real@inbox.example";
const alias = await person.createAlias({ forwardTo: mailbox });
const credential = await person.createSmtpCredential(alias.id);

beforeEach(() => mx.reset());

test("an invitation is forwarded as it was written", async () => {
  const calendar = "BEGIN:VCALENDAR\r\nORGANIZER:mailto:ann@planner.example\r\nEND:VCALENDAR\r\n";
  const message = `From: ann@planner.example\r\nContent-Type: text/calendar\r\n\r\n${calendar}`;
  const { last } = await sendMail({ port: system.mxPort, to: credential.username, message });
  expect(last).toMatch(/^250 /);
  const [mail] = await mx.waitForMessages(1);
  expect(String(mail?.bytes)).toContain(calendar);
});

test("a message with the mailbox in quoted lines is sent as written, whatever the account chose", async () => {
  await person.call("PATCH", "/api/account/settings", { aliasInQuotes: true });
  const { username, password } = credential;
  const talk = await signedInTalk(system.submissionPort, { username, password }, { helo: "laptop.example" });
  await talk.ask(`MAIL FROM:<${username}>`);
  await talk.ask("RCPT TO:<ann@outside.example>");
  await talk.ask("DATA");
  const quoted = `On 23 Nov 2026, at 09:58, Jonas <${mailbox}> wrote:\r\n> hello\r\n`;
  expect(await talk.ask(`From: ${username}\r\nTo: ann@outside.example\r\n\r\n${quoted}.`)).toMatch(/^250 /);
  talk.close();
  const [mail] = await mx.waitForMessages(1);
  expect(String(mail?.bytes)).toContain(quoted);
});

test("an import is refused with a sentence", async () => {
  const { status, body } = await person.call("POST", "/api/imports/from-service", { service: "relay", apiKey: "key" });
  expect([status, body]).toMatchObject([503, { message: "Aliases of other services can't be imported here." }]);
});
