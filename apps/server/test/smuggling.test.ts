/**
 * SMTP smuggling: spellings of a lone dot that one host treats as the end of a message and another does not, so that
 * what follows becomes a message of the attacker's. Read in chunks of every size, and over a real socket to a real
 * destination.
 */

import { MemoryBudget } from "@kauke/server/limits/bytes";
import { DataReader } from "@kauke/server/mail/smtp/session-input";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { beforeAll, expect, test } from "vitest";

const ends = ["\r\n", "\n", "\r"];
/** Every combination of line ends before and after the dot, except the right one. */
const crossed = ends.flatMap((before) => ends.map((after) => `${before}.${after}`)).filter((it) => it !== "\r\n.\r\n");
const doubled = ["\r\r\n.\r\r\n", "\r\n.\r\r\n", "\n\n.\r\n", "\n.\r\r\n", "\r\r.\r\r", "\n\r.\r\n", "\r\n.\n\r"];
const withNul = [
  "\r\n.\0\r\n",
  "\r\n\0.\r\n",
  "\r\n\0.\0\r\n",
  "\r\n.\r\0\n",
  "\r\0\n.\r\n",
  "\n\0.\r\n",
  "\r\0.\r\n",
  "\n.\0\n",
  "\r\n\0\0\0\0\0\0\0\0.\r\n",
  "\r\n.\0\0\0\0\0\0\0\0\r\n",
];
const variants = [...crossed, ...doubled, ...withNul];

const inner = "MAIL FROM:<evil@example.org>\r\nRCPT TO:<shop@kauke.test>\r\nDATA\r\nSubject: smuggled\r\n\r\nevil";
const around = (dot: string) => `From: a@example.org\r\nSubject: outer\r\n\r\none${dot}${inner}\r\n.\r\n`;

const { mx, system, person } = await setUpForwarding();

beforeAll(async () => {
  await person.createAlias({ alias: "shop", forwardTo: "owner@inbox.example" });
});

function readIn(pieces: readonly string[]) {
  const reader = new DataReader(10_000, new MemoryBudget(1_000_000));
  return pieces.map((piece) => reader.push(Buffer.from(piece, "latin1"))?.result.kind ?? null);
}

test.each(variants)("%j does not end a message and invalidates the one it is in, in chunks of any size", (dot) => {
  const text = around(dot);
  const at = text.indexOf(dot);
  for (let cut = at - 1; cut <= at + dot.length + 1; cut++) {
    for (let next = cut; next <= cut + 3; next++) {
      const read = readIn([text.slice(0, cut), text.slice(cut, next), text.slice(next)]);
      expect(read, JSON.stringify([cut - at, next - at])).toEqual([null, null, "smuggling"]);
    }
  }
});

async function send(text: string): Promise<string[]> {
  const talk = await smtpTalk(system.mxPort);
  await talk.ask("EHLO c.example");
  talk.send("MAIL FROM:<a@example.org>\r\nRCPT TO:<shop@kauke.test>\r\nDATA\r\n");
  for (const code of ["250", "250", "354"]) expect(await talk.reply()).toContain(code);
  talk.send(Buffer.from(text, "latin1"));
  const answers = [await talk.reply()];
  talk.send("QUIT\r\n");
  return [...answers, ...(await talk.rest())];
}

test.each(variants)("%j gets one rejection, no second message, and nothing reaches the destination", async (dot) => {
  expect(await send(around(dot))).toEqual(["550 5.6.11 Lines must end in CRLF", "221 2.0.0 Bye"]);
  expect(mx.messages).toEqual([]);
});

test("control: a correctly dot-stuffed message arrives as one message, its inner text as text", async () => {
  const [answer] = await send(around("\r\n..\r\n"));
  expect(answer).toMatch(/^250 /);
  expect(mx.messages).toHaveLength(1);
  expect(String(mx.messages[0]?.bytes)).toContain("one\r\n.\r\nMAIL FROM:<evil@example.org>\r\n");
  mx.messages.length = 0;
});

test.each([
  ["a bare line feed in the body", "one\ntwo"],
  ["a bare carriage return in the body", "one\rtwo"],
  ["a NUL within a line", "one\0two"],
  ["a dot within a line with bare ends around", "one\ntwo.\nthree"],
])("%s passes unchanged, in one message", async (_name, body) => {
  expect((await send(`From: a@example.org\r\nSubject: outer\r\n\r\n${body}\r\n.\r\n`))[0]).toMatch(/^250 /);
  expect(mx.messages).toHaveLength(1);
  expect(mx.messages[0]?.bytes.toString("latin1")).toContain(`\r\n\r\n${body}\r\n`);
  mx.messages.length = 0;
});

test.each(["\n", "\r", "\n\r", "\r\r\n"])(
  "%j in a header, which programs read as a new field or as the end of the header, is refused",
  async (end) => {
    const text = `From: a@example.org\r\nSubject: outer${end}Bcc: victim@example.org${end}${end}X-In: body\r\n\r\nhi\r\n.\r\n`;
    expect((await send(text))[0]).toBe("550 5.6.11 Lines must end in CRLF");
    expect(mx.messages).toEqual([]);
  },
);
