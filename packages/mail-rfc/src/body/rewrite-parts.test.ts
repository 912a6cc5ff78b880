import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readHeader } from "../header/headers.ts";
import { rewriteParts } from "./rewrite-parts.ts";

const token = "abcdefghijklmnopqrstuvwxyz";

function rewrite(message: string | Buffer) {
  const bytes = Buffer.from(message as string);
  const { end, isSeparated } = readHeader(bytes);
  const [header, body] = [bytes.subarray(0, end), bytes.subarray(isSeparated ? end + 2 : end)];
  const done = rewriteParts({ header, body, token, domain: "kauke.test" });
  const whole = Buffer.concat([done.header, Buffer.from("\r\n"), done.body]);
  return { ...done, isSame: done.header === header && done.body === body, whole, text: whole.toString("latin1") };
}
const text = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join("");
describe("parts of a message", () => {
  it("are returned unchanged when there is only one, too many, or too deep a nesting", () => {
    expect(rewrite("Subject: x\r\n\r\n--b\r\n").isSame).toBe(true);
    expect(rewrite("Content-Type: multipart/mixed; boundary=b\r\n\r\nno part\r\n").isSame).toBe(true);
    const many = text("Content-Type: multipart/mixed; boundary=b", "") + "--b\r\n\r\nx\r\n".repeat(1001);
    expect(rewrite(many).isSame).toBe(true);
    const deep = Array.from(
      { length: 30 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
    );
    expect(rewrite(deep.join("")).isSame).toBe(true);
  });

  it("that are signed, and attached messages, stay byte for byte", () => {
    const signed = text(
      "Content-Type: multipart/signed; protocol=x; boundary=s",
      "",
      "--s",
      "X-Kept: 1",
      "",
      "text",
      "--s--",
    );
    expect(rewrite(signed).isSame).toBe(true);
    const attached = text("Content-Type: message/rfc822", "", "Received: by old.example", "", "old");
    const outer = `Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n${signed}\r\n--o\r\n${attached}\r\n--o--\r\n`;
    const done = rewrite(outer).text;
    expect(done).toContain(signed);
    expect(done).toContain(attached);
  });

  it("end at their own boundary, not at a longer one that begins with it", () => {
    const body = text("--b", "", "--bc", "one", " --b", "--b  ", "", "two", "--b--", "", "--b", "", "three");
    const done = rewrite(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${body}`).text;
    expect(done.match(/^--=_/gm)).toHaveLength(3);
    expect(done).toContain("--bc\r\none\r\n --b\r\n--=_");
    expect(done).not.toContain("three");
  });

  it("of any form are written without an error and keep none of the old delimiters", () => {
    const piece = fc.constantFrom(
      "--b\r\n",
      "--b--\r\n",
      "--c\r\n",
      "--c--\r\n",
      "\r\n",
      "\n",
      "Content-Type: multipart/mixed; boundary=c\r\n",
      "Content-Type: multipart/signed; boundary=c\r\n",
      'Content-Type: text/html\r\n\r\n<img src="cid:a@b">',
      "Content-ID: <a@b>\r\n",
      'Content-Disposition: inline; creation-date="x"\r\n',
      "x",
      "=",
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 40 }),
        (pieces) => {
          const once = rewrite(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${pieces.join("")}`);
          const twice = rewrite(once.whole);
          expect(twice.whole.length).toBeLessThanOrEqual(once.whole.length * 2 + 1000);
          if (!once.isSame) expect(once.text).not.toMatch(/(?:^|\r\n)--b(?:--)?[ \t]*\r\n/);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
