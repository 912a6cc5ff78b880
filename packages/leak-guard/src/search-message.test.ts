import { deflateRawSync, gzipSync } from "node:zlib";
import { attached, single, zip } from "@kauke/testkit/programs/leak-carriers";
import { describe, expect, test } from "vitest";
import { searchMessage, searchTypedText } from "./search-message.ts";
import { unpackLimits } from "./unpack/unpack-limits.ts";

const owner = "jonas.real@inbox.example";
const messageOf = ({ header, body }: { header: string[]; body: string }) =>
  Buffer.from(["From: shop@kauke.test", "To: Ann <ann@outside.example>", ...header, "", body].join("\r\n"));
const search = (entity: { header: string[]; body: string }, limits = unpackLimits) =>
  searchMessage(messageOf(entity), [owner], limits);

describe("the place of a finding", () => {
  test("is a line in a text, and a part with its kind in an attachment", async () => {
    const text = { header: ["Content-Type: text/plain"], body: `one\r\ntwo\r\n> ${owner}\r\n` };
    expect(await search(text)).toEqual({
      leak: "address",
      destination: owner,
      place: { part: "1", kind: "text", line: 3 },
    });
    expect(await search(attached("image/png", Buffer.from(owner)))).toMatchObject({
      place: { part: "2", kind: "picture", line: 1 },
    });
    expect(await search(single("text/html; charset=utf-8", Buffer.from(`<p>\n<b>${owner}</b>`)))).toMatchObject({
      place: { part: "1", kind: "html", line: 2 },
    });
  });

  test("has the number that IMAP assigns to a nested part", async () => {
    const inner = ["Content-Type: multipart/mixed; boundary=i", "", "--i", "", "x", "--i", "", owner, "--i--", ""];
    const body = ["--o", "", "text", "--o", "Content-Type: message/rfc822", "", ...inner, "--o--", ""].join("\r\n");
    const found = await search({ header: ["Content-Type: multipart/mixed; boundary=o"], body });
    expect(found?.place).toEqual({ part: "2.2", kind: "text", line: 1 });
  });

  test("is the part number for a header", async () => {
    const [name] = attached("text/plain", Buffer.from("x"), `${owner}.txt`).body.split("\r\n\r\n");
    expect(name).toBeDefined();
    expect((await search(attached("text/plain", Buffer.from("x"), `${owner}.txt`)))?.place).toEqual({
      part: "2",
      kind: "header",
      line: null,
    });
    expect((await search({ header: [`Subject: for ${owner}`], body: "x" }))?.place.kind).toBe("header");
  });
});

test("an address that ends like the mailbox is a different address", async () => {
  expect(await search({ header: [`Cc: <x.${owner}>`], body: "x" })).toBeNull();
});

test("text around the parts of a multipart and after a broken boundary is searched", async () => {
  const header = ["Content-Type: multipart/mixed; boundary=o"];
  const hidden = Buffer.from(`I am ${owner}, indeed`).toString("base64");
  for (const body of [
    `${hidden}\r\n--o\r\n\r\nx\r\n--o--\r\n`,
    `--o\r\n\r\nx\r\n--o--\r\n${hidden}\r\n`,
    `--p\r\n\r\n${hidden}\r\n--p--\r\n`,
  ]) {
    expect(await search({ header, body })).toMatchObject({ leak: "address" });
    expect(await search({ header, body: body.replace(hidden, "nothing here at all") })).toBeNull();
  }
});

test("parts beyond the maximum are searched as one text", async () => {
  const body = `${"--o\r\n\r\nx\r\n".repeat(6000)}--o\r\n\r\n${owner}\r\n--o--\r\n`;
  expect(await search({ header: ["Content-Type: multipart/mixed; boundary=o"], body })).toMatchObject({
    leak: "address",
  });
});

describe("limits", () => {
  const small = { inflatedBytesMax: 3_000_000, membersMax: 10, depthMax: 5, heldBytesMax: 500_000 };
  const zeros = (bytes: number) => Buffer.alloc(bytes, "an ordinary line of text\n");

  test("data that unpacks beyond a limit is refused, data within the limits passes", async () => {
    const gz = (bytes: number) => attached("application/gzip", gzipSync(zeros(bytes)));
    expect(await search(gz(2_900_000), small)).toBeNull();
    expect(await search(gz(3_100_000), small)).toEqual({
      leak: "unpacks_too_far",
      place: { part: "2", kind: "archive", line: null },
    });
    const members = (count: number) =>
      attached("application/zip", zip(Array.from({ length: count }, (_, index) => [`${index}`, zeros(100)])));
    expect(await search(members(4), small)).toBeNull();
    expect(await search(members(11), small)).toMatchObject({ leak: "too_many_members", place: { kind: "archive" } });
    const tower = (depth: number) =>
      attached(
        "application/gzip",
        Array.from({ length: depth }).reduce<Buffer>((bytes) => gzipSync(bytes), zeros(10)),
      );
    expect(await search(tower(4), small)).toBeNull();
    expect(await search(tower(6), small)).toMatchObject({ leak: "too_deep" });
  });

  test("an archive too long to be held in memory is refused, a text of that length is searched to its end", async () => {
    const inner = zip([["a", zeros(600_000)]], { isStored: true });
    expect(await search(attached("application/gzip", gzipSync(inner)), small)).toMatchObject({
      leak: "unpacks_too_far",
    });
    for (const at of [499_990, 500_000, 500_010, 1_200_000, 2_000_000]) {
      const text = Buffer.concat([zeros(at), Buffer.from(` ${owner} `), zeros(2_500_000 - at)]);
      expect(await search(attached("application/gzip", gzipSync(text)), small)).toMatchObject({ leak: "address" });
    }
  });

  test("a damaged stream is searched up to the damage", async () => {
    const data = deflateRawSync(
      Buffer.concat([Buffer.from(`by ${owner}\n`), zeros(200_000), Buffer.from(randomText())]),
    );
    const damaged = Buffer.concat([data.subarray(0, data.length - 600), Buffer.alloc(600, 0xff)]);
    const archive = Buffer.concat([zip([["a", Buffer.from("x")]]), header(damaged.length), damaged]);
    expect(await search(attached("application/zip", archive))).toMatchObject({ leak: "address" });
  });
});

const randomText = () => Array.from({ length: 4000 }, (_, index) => ((index * 7919) % 1009).toString(36)).join("");

function header(size: number): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write("PK\x03\x04", "latin1");
  bytes[8] = 8;
  bytes.writeUInt32LE(size, 18);
  return bytes;
}

test("typed text is searched together with data encoded in it", async () => {
  const token = Buffer.from(`me=${owner}&x`).toString("base64url");
  expect(await searchTypedText(`one\nhttps://x.example/${token}`, [owner])).toMatchObject({ leak: "address" });
  expect(await searchTypedText(`one\n${owner}`, [owner])).toMatchObject({ place: { part: "", line: 2 } });
  expect(await searchTypedText("one\ntwo", [owner])).toBeNull();
});

test("without destinations nothing is found", async () => {
  expect(await searchMessage(Buffer.from(`x: ${owner}\r\n\r\n`), [])).toBeNull();
});
