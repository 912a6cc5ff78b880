/**
 * Header lines and whole messages smuggled through the fields we write ourselves: text that a stranger chooses (a
 * signature's selector, an envelope sender, a HELO, a domain) is written into Authentication-Results and its ARC copy,
 * into Received and into the names of correspondents. Such text was once converted to Latin-1, where U+010D becomes CR
 * and U+060A becomes LF.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, describe, expect, test } from "vitest";

/**
 * Characters whose low bytes are CR and LF, and characters that UTF-8 itself or a lenient parser treats as a line end.
 */
const lineEnds = {
  "Latin-1 CR LF": "\u010d\u060a",
  "Latin-1 bare LF": "\u060a",
  "other code points with these low bytes": "\u030d\u250a",
  NEL: "\u0085",
  "line separator": "\u2028",
  "form feed and escape": "\f\u001b[2J",
};

const injection = (end: string) =>
  [
    "x",
    "X-Injected: yes",
    "",
    "smuggled",
    ".",
    "MAIL FROM:<a@evil.example>",
    "RCPT TO:<b@victim.example>",
    "DATA",
  ].join(end);

const { mx, system, person } = await setUpForwarding({
  dns: createFakeDns({}),
  env: { KAUKE_ARC_SEAL: "always" },
  overrides: { store: { dkimDomains: ["kauke.test"] } },
});

beforeEach(() => mx.reset());

interface Attack {
  from?: string;
  helo?: string;
  header?: string;
}

/** @returns the one message that arrived; `null` if the sender was refused */
async function attack({ from = "ann@sender.example", helo = "client.example", header = "" }: Attack) {
  const { alias } = await person.createAlias({ forwardTo: "owner@inbox.example" });
  const message = Buffer.from(`${header}From: Ann <ann@sender.example>\r\nSubject: hi\r\n\r\nbody\r\n`);
  const params = "BODY=8BITMIME SMTPUTF8";
  const { last } = await sendMail({ port: system.mxPort, from, helo, to: `${alias}@kauke.test`, message, params });
  if (!last.startsWith("250")) {
    expect(mx.messages).toEqual([]);
    return null;
  }
  expect(mx.messages).toHaveLength(1);
  expect(mx.messages[0]?.rcptTo).toEqual(["owner@inbox.example"]);
  return mx.messages[0]?.bytes as Buffer;
}

/** @returns every header line for a parser that treats CR, LF or a Unicode line end as the end of a line */
function headerLines(bytes: Buffer): string[] {
  const end = bytes.indexOf("\r\n\r\n");
  const both = [bytes.toString("utf8", 0, end), bytes.toString("latin1", 0, end)];
  return both.flatMap((text) => text.split(/\r\n|[\r\n\u2028\u2029]/));
}

const foreign = (line: string) => /^(?:X-Injected|smuggled|\.|MAIL FROM|RCPT TO|DATA)/.test(line);

function expectClean(bytes: Buffer): void {
  expect(headerLines(bytes).filter(foreign)).toEqual([]);
  const end = bytes.indexOf("\r\n\r\n");
  expect(bytes.toString("utf8", end)).toBe("\r\n\r\nbody\r\n");
  const ours = bytes.toString("utf8", 0, bytes.indexOf("\r\nSubject:"));
  expect(ours).toMatch(/^ARC-Seal: /);
  expect(ours.replace(/\r\n[ \t]?/g, "")).not.toMatch(/[\p{Cc}\u2028\u2029\ufffd]/u);
}

describe.each(Object.entries(lineEnds))("%s as the end of a line", (_, end) => {
  test("in the selector of a worthless DKIM signature adds no line to a forwarded message", async () => {
    const signature = `DKIM-Signature: v=1; a=rsa-sha256; d=evil.example; s=${injection(end)}; h=from; bh=AAAA; b=AAAA\r\n`;
    expectClean((await attack({ header: signature })) as Buffer);
  });

  test("in the domain and the algorithm of a DKIM signature adds no line", async () => {
    const signature = `DKIM-Signature: v=1; a=rsa-sha256${injection(end)}; d=${injection(end)}; s=s; h=from; bh=AAAA; b=${injection(end)}\r\n`;
    expectClean((await attack({ header: signature })) as Buffer);
  });

  test("in the sets of an ARC chain adds no line", async () => {
    const sets = [
      `ARC-Seal: i=1; a=rsa-sha256; cv=none; d=${injection(end)}; s=${injection(end)}; b=AAAA\r\n`,
      `ARC-Message-Signature: i=1; a=rsa-sha256; d=evil.example; s=${injection(end)}; h=from; bh=AAAA; b=AAAA\r\n`,
      `ARC-Authentication-Results: i=1; ${injection(end)}\r\n`,
    ];
    const bytes = (await attack({ header: sets.join("") })) as Buffer;
    const ours = bytes.subarray(0, bytes.indexOf("Delivered-To:"));
    expect(headerLines(Buffer.concat([ours, Buffer.from("\r\n\r\n")])).filter(foreign)).toEqual([]);
    expect(mx.commands.filter((line) => /evil|victim/.test(line))).toEqual([]);
  });

  test("in an internationalized sender adds no line", async () => {
    const local = injection(end)
      .replace(/[\p{Cc}]/gu, "")
      .slice(0, 40);
    for (const from of [`"${local}"@evil.example`, `x${end}X-Injected@evil.example`, `x@ev${end}X-Injected.example`]) {
      const bytes = await attack({ from });
      if (bytes !== null) expectClean(bytes);
      mx.messages.length = 0;
    }
  });

  test("in a HELO adds no line", async () => {
    const bytes = await attack({ helo: `x${end}X-Injected:yes` });
    if (bytes !== null) expectClean(bytes);
  });
});

test("control: the same text with real line ends is found as lines", () => {
  const found = headerLines(
    Buffer.from(`Subject: ${injection("\r\n").replace("\r\n\r\n", "\r\n")}\r\n\r\nbody`),
  ).filter(foreign);
  // Each smuggled line is found twice: in the header read as UTF-8 and in the header read as Latin-1.
  expect(found).toHaveLength(2 * 6);
  const once = Buffer.from(`Subject: ${injection("\u010d\u060a")}\r\n\r\nbody`, "latin1");
  expect(headerLines(once).filter(foreign)).toContain("X-Injected: yes");
});
