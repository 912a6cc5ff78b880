import { describe, expect, test } from "vitest";
import { cleanFileName } from "../file-name.ts";
import { mailBounds, parseMail } from "./parsed-mail.ts";

const parse = (lines: readonly string[]) => parseMail(new TextEncoder().encode(lines.join("\r\n")).buffer);
const head = [
  "From: =?utf-8?q?Rasa_Kalnien=C4=97?= <rasa@example.org>",
  "To: Jonas <jonas@example.org>, undisclosed: a@example.org, b@example.org;",
  "Subject: =?utf-8?q?Sutartis=2C_antra?=",
  "Date: Fri, 20 Nov 2026 10:00:00 +0200",
  "MIME-Version: 1.0",
];
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const part = (type: string, more: readonly string[], body: string) => [
  "--b",
  `Content-Type: ${type}`,
  ...more,
  "",
  body,
];
const mixed = (...parts: string[][]) => [
  ...head,
  "Content-Type: multipart/related; boundary=b",
  "",
  ...parts.flat(),
  "--b--",
];
const encoded = "Content-Transfer-Encoding: base64";

describe("a decrypted message", () => {
  test("shows its author, recipients, date and subject decoded", async () => {
    expect(await parse([...head, "", "Hi  ", "", "Rasa", "", ""])).toMatchObject({
      subject: "Sutartis, antra",
      from: "Rasa Kalnienė <rasa@example.org>",
      to: "Jonas <jonas@example.org>, undisclosed: a@example.org, b@example.org;",
      date: "2026-11-20T08:00:00.000Z",
      text: "Hi  \n\nRasa",
      html: null,
      files: [],
      isCut: false,
    });
  });

  test("keeps its header fields unchanged and in order", async () => {
    const { headers } = await parse([...head, "X-Odd: one", "X-Odd: two", "", "Hi"]);
    expect(headers.map(({ name }) => name)).toEqual([
      "From",
      "To",
      "Subject",
      "Date",
      "MIME-Version",
      "X-Odd",
      "X-Odd",
    ]);
    expect(headers.at(-1)).toEqual({ name: "X-Odd", value: "two" });
  });

  test("shows an image where its HTML references it, and any other as a file", async () => {
    const { html, files } = await parse(
      mixed(
        part("text/html", [], '<img src="cid:dot@x">'),
        part("image/png", [encoded, "Content-ID: <dot@x>"], dot),
        part("image/png; name=other.png", [encoded, "Content-ID: <other@x>"], dot),
        part("image/svg+xml; name=a.svg", ["Content-ID: <dot@x>"], "<svg/>"),
      ),
    );
    expect(html?.html.trim()).toBe(`<img src="data:image/png;base64,${dot}">`);
    expect(files.map(({ name }) => name)).toContain("other.png");
  });

  test("keeps the bytes of its files, and lists an attached message as a file", async () => {
    const { files, text } = await parse(
      mixed(
        part("text/plain", [], "See the file."),
        part(
          "application/octet-stream",
          [encoded, 'Content-Disposition: attachment; filename="../../a\\b.bin"'],
          "AP8Q",
        ),
        part("message/rfc822", [], "Subject: inner\r\n\r\ninner words"),
      ),
    );
    expect(text).toBe("See the file.");
    expect(files).toHaveLength(2);
    expect([...(files[0]?.bytes ?? [])]).toEqual([0, 255, 16]);
    expect(new TextDecoder().decode(files[1]?.bytes)).toMatch(/^Subject: inner\r?\n\r?\ninner words\r?\n?$/);
    expect(files[0]?.name).not.toMatch(/[/\\]/);
  });

  test("is cut if it is too large to show, and marked as cut", async () => {
    const long = await parse([...head, "", "word ".repeat(mailBounds.textLength / 4)]);
    expect([long.isCut, (long.text?.length ?? 0) <= mailBounds.textLength]).toEqual([true, true]);
    const wide = await parse(mixed(part("text/html", [], "<p>".repeat(mailBounds.htmlLength / 2))));
    expect([wide.isCut, wide.html]).toEqual([true, null]);
  });

  test("that is malformed is refused with an error, or parsed as empty", async () => {
    const deep = Array.from({ length: 200 }, (_, at) => [
      `Content-Type: multipart/mixed; boundary=b${at}`,
      "",
      `--b${at}`,
    ]);
    await expect(parse([...head, ...deep.flat()])).rejects.toThrow();
    expect((await parse(["", "", "\u0000"])).files).toEqual([]);
  });
});

describe("a file name", () => {
  test.each([
    ["sąskaita 2026.pdf", "sąskaita 2026.pdf"],
    ["../../etc/passwd", "etc passwd"],
    ["C:\\Windows\\a.exe", "C Windows a.exe"],
    ["invoice\u202Efdp.exe", "invoice fdp.exe"],
    ["a\r\nb\u0000.txt", "a b .txt"],
    [".bashrc", "bashrc"],
    ["CON.txt", "_CON.txt"],
    ["name. ", "name"],
    ["", "attachment-3"],
    ["...", "attachment-3"],
    ["\u200B\u200B", "attachment-3"],
  ])("%j is kept as %j", (name, clean) => expect(cleanFileName(name, 3)).toBe(clean));

  test("keeps its extension when it is too long", () => {
    const name = cleanFileName(`${"ž".repeat(300)}.tar.gz`, 1);
    expect([[...name].length, name.endsWith(".gz")]).toEqual([120, true]);
  });
});
