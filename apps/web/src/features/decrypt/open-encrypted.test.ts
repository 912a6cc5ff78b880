import { expect, test } from "vitest";
import { looksLikeMail } from "./open-encrypted.ts";

const isMail = (text: string) => looksLikeMail(new TextEncoder().encode(text));
const head =
  "From: Rasa <rasa@example.org>\r\nSubject: =?utf-8?q?Sutartis?=\r\n folded\r\nDate: Fri, 20 Nov 2026 10:00:00 +0200\r\n";

test("header fields, an empty line and a body are a message, with LF or CRLF", () => {
  expect(isMail(`${head}\r\nHi`)).toBe(true);
  expect(isMail(`${head}\r\nHi`.replaceAll("\r\n", "\n"))).toBe(true);
  expect(isMail(`${head}\r\n`)).toBe(true);
});

test.each([
  ["plain text", "Hi Jonas,\n\nthe dates hold."],
  ["a note with a colon", "To: the baker\n\nThree loaves, please."],
  ["a header without its end", head],
  ["a header with an invalid line", `${head}the dates hold\r\n\r\nHi`],
  ["a header that begins with a folded line", ` folded\r\n${head}\r\nHi`],
  ["nothing", ""],
])("%s is not a message", (_, text) => expect(isMail(text)).toBe(false));
