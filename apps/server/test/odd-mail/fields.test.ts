/** Messages of programs that write fields twice, leave them out, or name no author: large hosts refuse such mail. */
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const { mx, system, person } = await setUpForwarding();

beforeEach(() => mx.reset());

async function forwarded(from: string, header: readonly string[]): Promise<string> {
  const { alias } = await person.createAlias({ forwardTo: "me@example.org" });
  const message = `${header.join("\r\n")}\r\n\r\nx\r\n`;
  const { last } = await sendMail({ port: system.mxPort, from, to: `${alias}@kauke.test`, message });
  expect(last).toMatch(/^250 /);
  const [mail] = await mx.waitForMessages(1);
  return String(mail?.bytes).split("\r\n\r\n", 1)[0] as string;
}

const count = (header: string, name: string) => header.match(new RegExp(`^${name}:`, "gim"))?.length ?? 0;

test("fields that may occur once leave once", async () => {
  const twice = ["Subject: Order 1", "Date: Thu, 26 Nov 2026 10:00:00 +0000", "MIME-Version: 1.0"].flatMap((it) => [
    it,
    it,
  ]);
  const header = await forwarded("ann@planner.example", [
    "From: Ann Lee <ann@planner.example>",
    ...twice,
    "Message-ID: <f07@planner.example>",
    "Message-ID: <f07b@planner.example>",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Type: text/plain; charset=us-ascii",
  ]);
  for (const name of ["Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "From"])
    expect([name, count(header, name)]).toEqual([name, 1]);
  expect(header).toContain("Content-Type: text/plain; charset=utf-8");
  expect(header).toContain("<f07@planner.example>");
});

test("Date and Message-ID are added if they are missing, and are the same in every copy of a retry", async () => {
  const header = await forwarded("ann@planner.example", ["From: ann@planner.example", "Subject: x"]);
  expect(header).toMatch(/^Date: \w{3}, \d+ \w{3} \d{4} [\d:]{8} \+0000\r$/m);
  expect(header).toMatch(/^Message-ID: <[\da-f-]{36}@kauke\.test>\r$/m);
});

test("a report of a program that names no author has a From field with a mailbox, and keeps the name", async () => {
  const header = await forwarded("", ["From: root (Cron Daemon)", "Subject: Cron backup"]);
  expect(header).toMatch(/^From: "Unknown sender: root \(Cron Daemon\)" <no-reply@kauke\.test>\r$/m);
});
