import { expect, it, test } from "vitest";
import { toSevenBit } from "./seven-bit.ts";

const message = (...lines: string[]) => Buffer.from(lines.join("\r\n"), "utf8");

test("a message in ASCII stays the same buffer", () => {
  const plain = message("Subject: hi", "", "hello");
  expect(toSevenBit(plain)).toBe(plain);
});

test("a text in 8bit becomes quoted-printable", () => {
  const fields = ["MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8"];
  const eight = message(...fields, "content-transfer-encoding: 8bit", "Subject: hi", "", "Ačiū", "");
  const seven = message(
    ...fields,
    "Content-Transfer-Encoding: quoted-printable",
    "Subject: hi",
    "",
    "A=C4=8Di=C5=AB",
    "",
  );
  expect(toSevenBit(eight)?.toString()).toBe(seven.toString());
});

test("a body that names no encoding gets the field", () => {
  const seven = message("Subject: hi", "Content-Transfer-Encoding: quoted-printable", "", "A=C4=8Di=C5=AB").toString();
  expect(toSevenBit(message("Subject: hi", "", "Ačiū"))?.toString()).toBe(seven);
});

test("each part of a message is encoded for itself", () => {
  const written = (encoding: string, [text, html, image]: readonly [string, string, string]) =>
    [
      `Content-Type: multipart/mixed; boundary=o\nContent-Transfer-Encoding: ${encoding}\n\n`,
      `--o\nContent-Type: multipart/alternative; boundary="i"\n\n`,
      `--i\nContent-Type: text/plain; charset=utf-8\n${text}\n--i\nContent-Type: text/html\n${html}\n--i--\n\n`,
      `--o\nContent-Type: image/png\nContent-Transfer-Encoding: ${image}\n--o\n\nplain\n--o--\n`,
    ]
      .join("")
      .replaceAll("\n", "\r\n");
  const quoted = "Content-Transfer-Encoding: quoted-printable";
  const eight = written("8bit", ["Content-Transfer-Encoding: 8bit\n\nAčiū\n", "\n<p>ū</p>", "binary\n\nąčę\u0001"]);
  const seven = written("7bit", [
    `${quoted}\n\nA=C4=8Di=C5=AB\n`,
    `${quoted}\n\n<p>=C5=AB</p>`,
    "base64\n\nxIXEjcSZAQ==\n",
  ]);
  expect(toSevenBit(Buffer.from(eight))?.toString()).toBe(seven);
});

it.each([
  ["a header field", message("Subject: Ačiū", "", "hi")],
  ["a signed part", message("Content-Type: multipart/signed; boundary=o", "", "--o", "", "Ačiū", "--o--")],
  ["an attached message", message("Content-Type: message/rfc822", "", "Subject: Ačiū", "", "hi")],
  ["text before the first part", message("Content-Type: multipart/mixed; boundary=o", "", "Ačiū", "--o", "", "--o--")],
  ["a body in base64", message("Content-Transfer-Encoding: base64", "", "Ačiū")],
  ["a message without a blank line", message("Ačiū")],
])("%s with other octets can't be converted", (_, eight) => {
  expect(toSevenBit(eight)).toBeNull();
});
