/** Messages of cameras, scripts and forms whose headers do not end their lines in CRLF: whole, or refused. */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const dns = createFakeDns({
  "planner.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] },
  "_dmarc.planner.example": { txt: ["v=DMARC1; p=reject"] },
});
const { mx, system, person } = await setUpForwarding({ dns });

beforeEach(() => mx.reset());

const alarm = [
  "From: Alarm <camera@planner.example>",
  "To: shop@kauke.test",
  "Subject: Battery low",
  "Date: Thu, 26 Nov 2026 10:00:00 +0000",
  "Reply-To: Desk <desk@planner.example>",
  "Content-Type: text/plain; charset=utf-8",
  "Message-ID: <f03@planner.example>",
  "",
  "The battery of your camera is low.",
  "",
];

async function send(message: string) {
  const { alias } = await person.createAlias({ forwardTo: "me@example.org" });
  const from = "camera@planner.example";
  const { last } = await sendMail({ port: system.mxPort, from, to: `${alias}@kauke.test`, message });
  return { last, copy: String(mx.messages.at(-1)?.bytes ?? "") };
}

test.each([
  ["CRLF", alarm.join("\r\n")],
  ["line feeds", alarm.join("\n")],
  [
    "line feeds between some fields",
    `${alarm.slice(0, 4).join("\r\n")}\r\n${alarm.slice(4, 7).join("\n")}\r\n\r\n${alarm[8]}\r\n`,
  ],
  ["two carriage returns", alarm.join("\r\r\n").replace("\r\r\n\r\r\n", "\r\n\r\n")],
])("a message with %s arrives with all its fields and its text", async (_, message) => {
  const { last, copy } = await send(message);
  expect(last).toMatch(/^250 /);
  for (const line of [
    /^Subject: Battery low\r$/m,
    /^Date: Thu, 26 Nov 2026/m,
    /^Reply-To: .*Desk/m,
    /^Content-Type: text\/plain/m,
  ])
    expect(copy).toMatch(line);
  expect(copy).toContain("dmarc=pass");
  expect(copy.slice(copy.indexOf("\r\n\r\n") + 4).trimEnd()).toBe("The battery of your camera is low.");
});

test.each([
  ["carriage returns", alarm.join("\r")],
  ["a blank line of line feeds before more fields", alarm.join("\r\n").replace("low\r\n", "low\n\n")],
])("a message with %s is refused with the reason", async (_, message) => {
  const { last } = await send(message);
  expect(last).toBe("550 5.6.11 Lines must end in CRLF");
  expect(mx.messages).toEqual([]);
});
