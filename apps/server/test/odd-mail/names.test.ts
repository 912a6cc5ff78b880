/** Display names of old programs: raw octets in the charset of the message instead of encoded words. */

import { decodeEncodedWords } from "@kauke/mail-rfc";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const { mx, system, person } = await setUpForwarding();

beforeEach(() => mx.reset());

const ivan = "\u{c8}\u{e2}\u{e0}\u{ed}";

test.each([
  ["windows-1251", ivan, "Иван (ivan at planner.example)"],
  ['"Windows-1251"', `"${ivan}, x"`, "Иван, x (ivan at planner.example)"],
  ["windows-1250", "Luk\u{e1}\u{9a}", "Lukáš (ivan at planner.example)"],
  ["koi8-r", "\u{e9}\u{d7}\u{c1}\u{ce}", "Иван (ivan at planner.example)"],
  ["gb2312", "\u{c0}\u{ee}", "李 (ivan at planner.example)"],
  ["windows-1251", Buffer.from("Иван").toString("latin1"), "Иван (ivan at planner.example)"],
  ["iso-8859-1", "Ren\u{e9}", "René (ivan at planner.example)"],
  ["nobody-knows", "Ren\u{e9}", "René (ivan at planner.example)"],
  ["windows-1251", "Ivan", "Ivan (ivan at planner.example)"],
  // In GBK the first two octets are one character; addresses are never read by a label.
  ["gbk", "\u{c0}@x.example, y", "À at x.example"],
])("in %s a name of raw octets %j is shown as it was typed", async (charset, octets, shown) => {
  const { alias } = await person.createAlias({ forwardTo: "me@example.org" });
  const header = `From: ${octets} <ivan@planner.example>\r\nSubject: x\r\nContent-Type: text/plain; charset=${charset}`;
  const message = Buffer.from(`${header}\r\n\r\nx\r\n`, "latin1");
  await sendMail({ port: system.mxPort, from: "ivan@planner.example", to: `${alias}@kauke.test`, message });
  const [copy] = await mx.waitForMessages(1);
  const [, from = ""] = /^From: ((?:.|\r\n[ \t])*)\r$/m.exec(String(copy?.bytes)) ?? [];
  expect(
    decodeEncodedWords(from.replace(/\r\n/g, ""))
      .replace(/ <[^<>]*>$/, "")
      .replace(/"/g, ""),
  ).toContain(shown);
});
