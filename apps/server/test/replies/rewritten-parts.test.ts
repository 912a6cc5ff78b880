/** The content of an owner's message after its parts were rewritten, as a mail program reads it. */
import { readdirSync, readFileSync } from "node:fs";
import { readHeader, rewriteParts } from "@kauke/mail-rfc";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";

const token = "abcdefghijklmnopqrstuvwxyz";

function rewrite(message: string | Buffer): Buffer {
  const bytes = Buffer.from(message as string);
  const { end, isSeparated } = readHeader(bytes);
  const [header, body] = [bytes.subarray(0, end), bytes.subarray(isSeparated ? end + 2 : end)];
  const done = rewriteParts({ header, body, token, domain: "kauke.test" });
  const isSame = done.header === header && done.body === body;
  return isSame ? bytes : Buffer.concat([done.header, Buffer.from("\r\n"), done.body]);
}
const text = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join("");
const related = (html: string, encoding = "7bit") =>
  text(
    'Content-Type: multipart/related; type="text/html"; start="<root@laptop.lan>"; boundary="Apple-Mail=_1"',
    "",
    "made by a program",
    "--Apple-Mail=_1",
    "Content-Type: text/html; charset=utf-8",
    `Content-Transfer-Encoding: ${encoding}`,
    "Content-ID: <root@laptop.lan>",
    "X-Program: laptop",
    "",
    html,
    "--Apple-Mail=_1",
    "Content-Type: image/png; name=a.png",
    'Content-Disposition: inline; filename=a.png; modification-date="Sat, 21 Nov 2026 15:45:00 +0545"; size=3',
    "Content-ID: <part1@laptop.lan>",
    "Content-Location: file:///home/olga/a.png",
    "",
    "png",
    "--Apple-Mail=_1--",
    "sent by a program",
  );

describe("parts of a message", () => {
  it.each([
    ["7bit", '<p>hé</p><img src="cid:part1@laptop.lan">'],
    ["quoted-printable", '<p>h=C3=A9</p><img src=3D"cid:part1@lap=\r\ntop.lan">'],
    ["base64", Buffer.from('<p>hé</p><img src="cid:part1%40laptop.lan">').toString("base64")],
  ])("keep picture and text together, with Content-IDs of ours, in %s", async (encoding, html) => {
    const whole = rewrite(related(html, encoding));
    const written = whole.toString("latin1");
    expect(written).not.toMatch(/laptop|program|olga|Apple|0545/i);
    const mail = await PostalMime.parse(whole);
    const [picture] = mail.attachments;
    const id = picture?.contentId?.replace(/[<>]/g, "") ?? "";
    expect(id).toMatch(/^[a-z2-7]{24}@kauke\.test$/);
    expect(mail.html?.trim()).toBe(`<p>hé</p><img src="cid:${id}">`);
    expect(picture).toMatchObject({ filename: "a.png", disposition: "inline" });
    expect(written).toMatch(/^Content-Type: multipart\/related;\r\n\ttype="text\/html";\r\n\tstart="</);
  });

  const folder = new URL("../../../../test-vectors/eml/", import.meta.url);
  it.each(readdirSync(folder).filter((name) => name.endsWith(".eml")))("of %s keep their content", async (name) => {
    const before = readFileSync(new URL(name, folder));
    const [was, is] = [await PostalMime.parse(before), await PostalMime.parse(rewrite(before))];
    const said = (mail: typeof was) => ({
      text: mail.text,
      html: mail.html?.replace(/cid:[^"]*/g, "cid:").trim(),
      attachments: mail.attachments.map(({ filename, mimeType, content }) => [
        filename,
        mimeType,
        Buffer.from(content as ArrayBuffer),
      ]),
    });
    expect(said(is)).toEqual(said(was));
  });
});
