import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { attachmentHeader, attachmentName, attachmentType, Base64Lines, multipartFrame } from "@kauke/mail-rfc";
import * as fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";

const message = {
  from: "shop.k7@kauke.test",
  to: ["rasa@example.org"],
  subject: "Files",
  text: "Labas, Rasa\n",
  at: new Date("2026-03-01T12:00:00.000Z"),
  messageId: "<mfrggzdfmztwq2lknnwg23tpoa@kauke.test>",
};

interface File {
  name: string;
  type: string;
  content: Buffer;
}

function build(files: readonly File[], chunkBytes = 100): Buffer {
  const { start, separator, end } = multipartFrame(message, "=_0123456789abcdef");
  const parts = files.flatMap(({ name, type, content }) => {
    const lines = new Base64Lines();
    const chunks = [];
    for (let at = 0; at < content.length; at += chunkBytes)
      chunks.push(lines.push(content.subarray(at, at + chunkBytes)));
    return [separator, attachmentHeader({ name, type }), ...chunks, lines.end()];
  });
  return Buffer.concat([start, ...parts, end]);
}

async function read(wire: Buffer) {
  const { text, attachments } = await PostalMime.parse(wire);
  const files = attachments.map(({ filename, mimeType, content }) => ({
    name: filename,
    type: mimeType,
    content: Buffer.from(content as ArrayBuffer),
  }));
  return { text, files };
}

const names = [
  "plain.pdf",
  "with space and 'quotes'.txt",
  'quote".txt',
  "back\\slash.txt",
  "ataskaita ąčęėįšųūž.pdf",
  "報告書.docx",
  `${"labai-ilgas-vardas-ž".repeat(7)}.pdf`,
  "emoji 👍🏽.png",
  "=?utf-8?Q?x?=.txt",
  "100%.txt",
  "a;b=c.txt",
];

describe("a message with files", () => {
  it.each(names)("a file named %j comes back byte for byte, with this name", async (given) => {
    const name = attachmentName(given);
    const file = { name, type: "image/png", content: randomBytes(1000) };
    const wire = build([file, { ...file, name: "other.bin" }]);
    expect(await read(wire)).toEqual({ text: "Labas, Rasa\n", files: [file, { ...file, name: "other.bin" }] });
    const header = wire.toString("latin1");
    expect(header.split("\r\n").every((line) => line.length <= 998 && !/[\r\n]/.test(line))).toBe(true);
    expect(/^[\x01-\x7f]*$/.test(header)).toBe(true);
  });

  const hasPython = spawnSync("python3", ["-c", "import email"]).status === 0;
  it.skipIf(!hasPython)("another parser reads the same names, types and contents", () => {
    const files = names.map((name) => ({ name: attachmentName(name), type: "text/csv", content: randomBytes(300) }));
    const program = [
      "import sys, json, email, email.policy",
      "m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)",
      "print(json.dumps([[p.get_filename(), p.get_content_type(), p.get_payload(decode=True).hex()]",
      "  for p in m.iter_attachments()]))",
    ].join("\n");
    const { stdout } = spawnSync("python3", ["-c", program], { input: build(files) });
    const expected = files.map(({ name, type, content }) => [name, type, content.toString("hex")]);
    expect(JSON.parse(stdout.toString())).toEqual(expected);
  });

  it("any content in any chunks comes back byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), fc.integer({ min: 1, max: 200 }), async (bytes, chunk) => {
        const file = { name: "a.bin", type: "application/octet-stream", content: Buffer.from(bytes) };
        expect((await read(build([file], chunk))).files).toEqual([file]);
      }),
    );
  });

  it("whatever a name or type holds, it adds no field, part or line", async () => {
    const any = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc
        .array(fc.constantFrom("\r\n", "\n", '"', "\\", ";", "=?", "..", "/", "a", "ž", "\0"), { maxLength: 60 })
        .map((all) => all.join("")),
    );
    await fc.assert(
      fc.asyncProperty(any, any, async (name, type) => {
        const file = { name: attachmentName(name), type: attachmentType(type), content: Buffer.from("x") };
        const { files } = await read(build([file]));
        expect(files).toHaveLength(1);
        const header = attachmentHeader(file).toString("latin1");
        expect(header.match(/^[A-Za-z]/gm)).toHaveLength(3);
        expect(header.endsWith("\r\n\r\n") && header.indexOf("\r\n\r\n") === header.length - 4).toBe(true);
      }),
    );
  });
});

it.each([
  ["../../etc/passwd", "passwd"],
  ["C:\\docs\\cv.pdf", "cv.pdf"],
  ["a\r\nContent-Type: text/html\r\n.txt", "a Content-Type_ text_html .txt".replace("text_html ", "")],
  ["", "attachment"],
  ["...", "attachment"],
  ["\u202egnp.exe", "gnp.exe"],
  ["x".repeat(5000), "x".repeat(150)],
  [`${"x".repeat(5000)}.pdf`, `${"x".repeat(146)}.pdf`],
  ["nul\0byte.txt", "nul byte.txt"],
])("the name %j is sent as %j", (given, sent) => {
  if (given.includes("Content-Type")) expect(attachmentName(given)).not.toMatch(/[\r\n/]/);
  else expect(attachmentName(given)).toBe(sent);
});

it.each([
  ["image/PNG", "image/png"],
  ["image/svg+xml", "image/svg+xml"],
  ["text/html\r\nX: y", "application/octet-stream"],
  ["text/html; charset=utf-8", "application/octet-stream"],
  ["message/rfc822", "application/octet-stream"],
  ["multipart/mixed", "application/octet-stream"],
  ["", "application/octet-stream"],
  ["x".repeat(5000), "application/octet-stream"],
])("the type %j is sent as %j", (given, sent) => {
  expect(attachmentType(given)).toBe(sent);
});
