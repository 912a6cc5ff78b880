/** Messages whose charset labels are wrong, or that are not UTF-8 where no label is possible, as webhooks get them. */
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const { hook, mx, system, person } = await setUpForwarding();

beforeEach(() => {
  hook.reset();
  mx.reset();
});

interface Data {
  from: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; contentType: string; size: number; content: string }[];
}

/** @param octets one character per octet */
async function posted(octets: string): Promise<Data> {
  const { alias } = await person.createAlias({ forwardTo: hook.url });
  const message = Buffer.from(octets.replaceAll("\n", "\r\n"), "latin1");
  await sendMail({ port: system.mxPort, from: "ann@planner.example", to: `${alias}@kauke.test`, message });
  const [call] = await hook.waitForRequests(1);
  return JSON.parse(String(call?.body)).data as Data;
}

const utf8 = (text: string) => Buffer.from(text).toString("latin1");
const head = "From: Ann <ann@planner.example>\nSubject: pl\nMIME-Version: 1.0\n";

test.each([
  ["utf-8", "8bit", utf8("Dzień dobry"), "Dzień dobry"],
  ["us-ascii", "8bit", utf8("Dzień dobry"), "Dzień dobry"],
  ["unknown-8bit", "8bit", utf8("Dzień dobry"), "Dzień dobry"],
  ['"_nobody_knows"', "quoted-printable", "Dzie=C5=84 dobry", "Dzień dobry"],
  ["us-ascii", "base64", Buffer.from("Dzień dobry").toString("base64"), "Dzień dobry"],
  ["us-ascii", "8bit", "Caf\u{e9}", "Café"],
  ["iso-8859-2", "8bit", "Dzie\u{f1} dobry", "Dzień dobry"],
  ["iso-8859-1", "8bit", utf8("ń"), "Å„"],
])("text declared as %s in %s is read", async (charset, encoding, octets, text) => {
  const fields = `Content-Type: text/html; charset=${charset}; x=y\nContent-Transfer-Encoding: ${encoding}\n`;
  expect((await posted(`${head}${fields}\n${octets}\n`)).html.trim()).toBe(text);
});

test("text without a charset is read as UTF-8, and as windows-1252 if it is not", async () => {
  expect((await posted(`${head}\n${utf8("Dzień")}\n`)).text.trim()).toBe("Dzień");
  hook.reset();
  expect((await posted(`${head}\nCaf\u{e9} \u{93}x\u{94}\n`)).text.trim()).toBe("Café “x”");
});

test.each([
  ["UTF-8", utf8("Jürgen Müß"), "", "Jürgen Müß"],
  ["Latin-1", "J\u{fc}rgen M\u{fc}\u{df}", "", "Jürgen Müß"],
  ["the message's charset", "\u{c8}\u{e2}\u{e0}\u{ed}", "Content-Type: text/plain; charset=windows-1251\n", "Иван"],
  ["UTF-8 in words of US-ASCII", "=?us-ascii?Q?Dzie=C5=84?=", "", "Dzień"],
])("raw octets of Subject and From in %s are read alike", async (_, octets, fields, text) => {
  const data = await posted(`From: ${octets} <ann@planner.example>\nSubject: ${octets}\n${fields}\nx\n`);
  expect(data.from).toEqual({ name: text, address: "ann@planner.example" });
  expect(data.subject).toBe(text);
});

const inner = "From: x@x.example\nSubject: inner\n\nline one\n\nline two";

test.each(["7bit", "8bit", "binary", "base64", ""])("attachments in %s keep their octets", async (encoding) => {
  const octets = inner.replaceAll("\n", "\r\n");
  const body = encoding === "base64" ? Buffer.from(octets).toString("base64") : inner;
  const field = encoding === "" ? "" : `Content-Transfer-Encoding: ${encoding}\n`;
  const attached = (type: string, name: string) =>
    `--b\nContent-Type: ${type}\n${field}Content-Disposition: attachment; filename=${name}\n\n${body}\n`;
  const parts = `${attached("message/rfc822", "orig.eml")}${attached("text/csv", "a.csv")}${attached("text/calendar", "b.ics")}`;
  const data = await posted(`${head}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nsee\n${parts}--b--\n`);
  expect(data.text.trim()).toBe("see");
  const [message, table, calendar] = data.attachments.map((it) => ({
    ...it,
    content: Buffer.from(it.content, "base64"),
  }));
  expect(message).toEqual({
    filename: "orig.eml",
    contentType: "message/rfc822",
    size: 55 + 2,
    content: Buffer.from(octets),
  });
  expect(table?.content.toString()).toBe(octets);
  expect(calendar?.content.toString()).toBe(`${octets}\r\n`);
});

test("parts of signed mail, of digests, and in quoted-printable keep their line ends, names in Latin-1 are read", async () => {
  const signed = `--s\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/csv; name="M\u{e4}rz.csv"\n\n1,2\n3,4\n--b--\n`;
  const rest = `--s\nContent-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: a\n\nb\n--d--\n--s\nContent-Type: text/csv\nContent-Transfer-Encoding: quoted-printable\n\n=C3=A4\nb=\nc\n--s--\n`;
  const data = await posted(`${head}Content-Type: multipart/signed; boundary=s\n\n${signed}${rest}`);
  expect(
    data.attachments.map(({ filename, content }) => [filename, Buffer.from(content, "base64").toString()]),
  ).toEqual([
    ["März.csv", "1,2\r\n3,4"],
    [null, "Subject: a\r\n\r\nb"],
    [null, "ä\r\nbc"],
  ]);
});
