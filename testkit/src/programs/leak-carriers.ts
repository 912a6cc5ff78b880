/**
 * Messages that carry an address where nobody sees it: one for each format into which mail programs, cameras, office
 * and encryption programs write addresses. Each can be built for any address, so that the same message with another
 * address is the control.
 */
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

/** Content of a message: everything except From, To and Subject. */
export interface CarrierEntity {
  /** Header lines without line ends. */
  header: string[];
  /** Body with CRLF line ends. */
  body: string;
}

export interface LeakCarrier {
  name: string;
  make(address: string): CarrierEntity;
  /** The same data in text for the compose form; absent if the format needs an attachment. */
  typed?(address: string): string;
}

const lines = (bytes: Buffer): string => (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n");

/** Builds a text part and one attachment in base64. */
export function attached(type: string, bytes: Buffer, fileName = "file"): CarrierEntity {
  const body = [
    "--outer",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "see the attachment",
    "--outer",
    `Content-Type: ${type}`,
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: attachment; filename="${fileName}"`,
    "",
    lines(bytes),
    "--outer--",
    "",
  ];
  return { header: ["MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="outer"'], body: body.join("\r\n") };
}

/** Builds the content of a message that is a single part in base64. */
export function single(type: string, bytes: Buffer): CarrierEntity {
  const header = ["MIME-Version: 1.0", `Content-Type: ${type}`, "Content-Transfer-Encoding: base64"];
  return { header, body: `${lines(bytes)}\r\n` };
}

const plain = (text: string): CarrierEntity => ({
  header: ["MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8"],
  body: `${text.replace(/\r?\n/g, "\r\n")}\r\n`,
});

/** Builds a carrier whose data is part of the text, so that it can be typed into the compose form too. */
const inText = (name: string, write: (address: string) => string): LeakCarrier => ({
  name,
  make: (address) => plain(`Hello\n\n${write(address)}\n\nBye`),
  typed: (address) => `Hello\n\n${write(address)}\n\nBye`,
});

const inFile = (name: string, type: string, write: (address: string) => Buffer): LeakCarrier => ({
  name,
  make: (address) => attached(type, write(address)),
});

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();
const u16 = (value: number) => Buffer.from([value & 0xff, value >> 8]);
const u32 = (value: number) => Buffer.from([value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24]);

/**
 * Builds a ZIP archive. @param members file names and their bytes @param options.isStored whether members are stored
 * without compression
 */
export function zip(members: readonly (readonly [string, Buffer])[], { isStored = false } = {}): Buffer {
  const records = members.map(([name, bytes]) => {
    const data = isStored ? bytes : deflateRawSync(bytes);
    const sizes = [
      u16(isStored ? 0 : 8),
      u32(0),
      u32(0),
      u32(data.length),
      u32(bytes.length),
      u16(name.length),
      u16(0),
    ];
    return Buffer.concat([Buffer.from("PK\x03\x04\x14\0\0\0", "latin1"), ...sizes, Buffer.from(name), data]);
  });
  return Buffer.concat([...records, Buffer.from("PK\x05\x06", "latin1"), Buffer.alloc(18)]);
}

/**
 * Builds a Word document whose address is split over two runs, as a word processor writes it after a spelling check.
 */
const docx = (address: string): Buffer => {
  const run = (text: string) => `<w:r><w:rPr><w:lang w:val="en"/></w:rPr><w:t>${text}</w:t></w:r>`;
  const xml = `<?xml version="1.0"?><w:document><w:body><w:p>${run(address.slice(0, 5))}${run(address.slice(5))}</w:p>`;
  return zip([
    ["[Content_Types].xml", Buffer.from("<Types/>".repeat(50))],
    ["word/document.xml", Buffer.from(xml + "<w:p/>".repeat(400))],
  ]);
};

const pdf = (objects: readonly (readonly [dictionary: string, data: Buffer])[], trailer = ""): Buffer => {
  const bodies = objects.flatMap(([dictionary, data], index) => [
    Buffer.from(`${index + 1} 0 obj\n<< ${dictionary} /Length ${data.length} >>\nstream\n`, "latin1"),
    data,
    Buffer.from("\nendstream\nendobj\n"),
  ]);
  const tail = `trailer\n<< /Root 1 0 R /Info << /Producer (x) ${trailer} >> >>\n%%EOF\n`;
  return Buffer.concat([
    Buffer.from("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", "latin1"),
    ...bodies,
    Buffer.from(tail, "latin1"),
  ]);
};

const octal = (bytes: Buffer): string => [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
const marked = (text: string): Buffer => Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be(text)]);
const kerned = (text: string): string =>
  `BT /F1 12 Tf [${text
    .match(/.{1,3}/g)
    ?.map((run) => `(${run})`)
    .join("-20.5")}] TJ ET`;

function ascii85(bytes: Buffer): string {
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  let text = "";
  for (let at = 0; at < padded.length; at += 4) {
    let value = padded.readUInt32BE(at);
    let group = "";
    for (let place = 0; place < 5; place += 1) {
      group = String.fromCharCode(33 + (value % 85)) + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return `${text}~>`;
}

/** Builds a JPEG with an Artist field in its EXIF block; the preceding value ends in a letter, as exposure times do. */
const jpeg = (address: string): Buffer => {
  const artist = Buffer.from(`${address}\0`, "latin1");
  const entry = (tag: number, type: number, count: number, value: number) =>
    Buffer.from([tag >> 8, tag & 255, 0, type, 0, 0, 0, count, 0, 0, 0, value]);
  const tiff = [
    Buffer.from("MM\0*\0\0\0\x08\0\x02", "latin1"),
    entry(0x829a, 5, 1, 38),
    entry(0x013b, 2, artist.length, 46),
  ];
  const values = [Buffer.alloc(4), Buffer.from([0, 0, 0, 1, 0, 0, 0, 0x64]), artist];
  const exif = Buffer.concat([Buffer.from("Exif\0\0"), ...tiff, ...values]);
  const length = Buffer.from([(exif.length + 2) >> 8, (exif.length + 2) & 255]);
  const scan = Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 73) % 251));
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1]), length, exif, scan, Buffer.from([0xff, 0xd9])]);
};

const pngChunk = (type: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
};

export const png = (...chunks: readonly (readonly [string, Buffer])[]): Buffer =>
  Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks.map(([type, data]) => pngChunk(type, data))]);

const tnefAttribute = (id: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([1]), u32(id), u32(data.length), data, u16(0)]);

const tnef = (...attributes: readonly (readonly [number, Buffer])[]): Buffer =>
  Buffer.concat([u32(0x223e9f78), u16(1), ...attributes.map(([id, data]) => tnefAttribute(id, data))]);

/** Builds compressed rich text as Outlook sends it, of literals only: every ninth byte is a control byte. */
const richText = (text: string): Buffer => {
  const groups = (text.match(/[\s\S]{1,8}/g) ?? []).map((group) => Buffer.from(`\0${group}`, "latin1"));
  const data = Buffer.concat(groups);
  return Buffer.concat([u32(data.length + 12), u32(text.length), Buffer.from("LZFu"), u32(0), data]);
};

const uuencode = (bytes: Buffer): string => {
  const encode = (value: number) => String.fromCharCode(value === 0 ? 96 : value + 32);
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += 45) {
    const row = bytes.subarray(at, at + 45);
    const digits = Buffer.concat([row, Buffer.alloc(2)]).subarray(0, Math.ceil(row.length / 3) * 3);
    let text = encode(row.length);
    for (let place = 0; place < digits.length; place += 3) {
      const value = digits.readUIntBE(place, 3);
      text += [18, 12, 6, 0].map((shift) => encode((value >> shift) & 63)).join("");
    }
    rows.push(text);
  }
  return ["begin 644 notes.txt", ...rows, "`", "end"].join("\n");
};

const newsletter = (address: string, header: string[] = []): string =>
  ["From: shop@news.example", "Subject: offers", ...header, "", `Hello ${address},`, "offers", ""].join("\r\n");

/** Builds an attached message whose own transfer encoding hides its text. */
const encodedMessage = (address: string, encoding: "base64" | "quoted-printable"): string => {
  const text = Buffer.from(`Hello ${address}, offers`);
  const body =
    encoding === "base64"
      ? lines(text)
      : [...text]
          .map((byte) => `=${byte.toString(16)}`)
          .join("")
          .match(/.{1,72}/g)
          ?.join("=\r\n");
  const header = ["MIME-Version: 1.0", "Content-Type: text/plain", `Content-Transfer-Encoding: ${encoding}`];
  return ["From: shop@news.example", "Subject: offers", ...header, "", body, ""].join("\r\n");
};

const vcard = (address: string): string => {
  const folded = Buffer.from(`-- key of Jonas <${address}> --`.repeat(4))
    .toString("base64")
    .match(/.{1,70}/g)
    ?.join("\r\n ");
  return `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:J\r\nKEY;ENCODING=b:${folded}\r\nEND:VCARD\r\n`;
};

const capitals = (text: string): string => text.toUpperCase();

/** Carriers that need no installed program. */
export const leakCarriers: readonly LeakCarrier[] = [
  inFile("an attached text", "application/octet-stream", (address) => Buffer.from(`a,b\n${address},c\n`)),
  inFile("a text in UTF-16 with its mark", "text/plain; charset=utf-16", (address) =>
    Buffer.from(`\ufeffa ${address} b`, "utf16le"),
  ),
  inFile("a text in UTF-16BE without a mark", "application/octet-stream", (address) =>
    utf16be(`a ${capitals(address)} b`),
  ),
  inFile("a text in UTF-16LE at an odd offset", "application/octet-stream", (address) =>
    Buffer.concat([Buffer.from([1, 2, 3]), Buffer.from(address, "utf16le"), Buffer.from([0, 0])]),
  ),
  {
    name: "HTML in UTF-16",
    make: (address) => single("text/html; charset=utf-16le", Buffer.from(`<p>${address}</p>`, "utf16le")),
  },
  {
    name: "a text in UTF-7",
    make: (address) => single("text/plain; charset=utf-7", Buffer.from(address.replace("@", "+AEA-"))),
  },
  inFile("an EXIF block, behind a value that ends in a letter", "image/jpeg", jpeg),
  inFile("compressed text of a PNG", "image/png", (address) =>
    png(["IHDR", Buffer.alloc(13)], ["zTXt", Buffer.concat([Buffer.from("Author\0\0"), deflateSync(`by ${address}`)])]),
  ),
  inFile("compressed international text of a PNG", "image/png", (address) =>
    png(["iTXt", Buffer.concat([Buffer.from("XML:com\0\x01\0en\0t\0"), deflateSync(`<a>${address}</a>`)])]),
  ),
  inFile("winmail.dat in UTF-16", "application/ms-tnef", (address) =>
    tnef([0x00069003, Buffer.concat([u32(0x3001001f), Buffer.from(`\0${address}\0`, "utf16le")])]),
  ),
  inFile("winmail.dat in compressed rich text", "application/ms-tnef", (address) =>
    tnef([0x00069003, Buffer.concat([u32(0x10090102), richText(`{\\rtf1 From: ${address}\\par}`)])]),
  ),
  inFile("a document in winmail.dat", "application/ms-tnef", (address) => tnef([0x0006800f, docx(address)])),
  inFile("a stream of a PDF", "application/pdf", (address) =>
    pdf([["/Filter /FlateDecode", deflateSync(`(mailto:${address})`)]]),
  ),
  inFile("kerned text of a PDF", "application/pdf", (address) =>
    pdf([["/Filter /FlateDecode", deflateSync(kerned(address))]]),
  ),
  inFile("a PDF stream of two filters", "application/pdf", (address) =>
    pdf([["/Filter [/ASCII85Decode /FlateDecode]", Buffer.from(ascii85(deflateSync(`(${address})`)))]]),
  ),
  inFile("an octal string of a PDF", "application/pdf", (address) => pdf([], `/Author (${octal(marked(address))})`)),
  inFile("a hex string of a PDF", "application/pdf", (address) =>
    pdf([], `/Author <${marked(address).toString("hex")}>`),
  ),
  inFile("a word processor's file", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx),
  inFile("a stored member of an archive", "application/zip", (address) =>
    zip([["a.txt", Buffer.from(address)]], { isStored: true }),
  ),
  inFile("a file name in an archive", "application/zip", (address) => zip([[address, Buffer.from("x")]])),
  inFile("an archive in an archive", "application/zip", (address) => zip([["a.docx", docx(address)]])),
  inFile("a gzip file", "application/gzip", (address) => gzipSync(`a ${address} b`)),
  inFile("a gzip file in an archive", "application/zip", (address) => zip([["a.gz", gzipSync(`a ${address} b`)]])),
  inFile("a zstd file", "application/zstd", (address) => zstdCompressSync(Buffer.from(`a ${address} b`))),
  { name: "an attached message", make: (address) => wrapped(newsletter(address)) },
  { name: "an attached message in base64", make: (address) => wrapped(encodedMessage(address, "base64")) },
  {
    name: "an attached message in quoted-printable",
    make: (address) => wrapped(encodedMessage(address, "quoted-printable")),
  },
  inFile("a message as a file", "application/octet-stream", (address) =>
    Buffer.from(encodedMessage(address, "base64")),
  ),
  inFile("a message as a file with bare line feeds", "application/octet-stream", (address) =>
    Buffer.from(encodedMessage(address, "quoted-printable").replaceAll("\r\n", "\n")),
  ),
  {
    name: "the return path of an attached message",
    make: (address) => wrapped(newsletter("", [`Return-Path: <bounce-77-${address.replace("@", "=")}@list.example>`])),
  },
  {
    name: "a file name in pieces",
    make(address) {
      const { header, body } = attached("application/octet-stream", Buffer.from("x"));
      const [left, right] = [address.slice(0, 9), address.slice(9)].map((half) => half.replace("@", "%40"));
      const name = `filename*0*=utf-8''${left};\r\n filename*1*=${right}`;
      return { header, body: body.replace('filename="file"', name) };
    },
  },
  inFile("a key in a vCard", "text/vcard", (address) => Buffer.from(vcard(address))),
  inText("an escape of JSON", (address) => `{"mail":"${address.replace("@", "\\u0040")}"}`),
  inText("a link with percent signs", (address) => `https://shop.example/?u=${encodeURIComponent(address)}`),
  inText(
    "a data: URI",
    (address) => `<img src="data:text/plain;base64,${Buffer.from(`I am ${address}, yes`).toString("base64")}">`,
  ),
  inText(
    "a token in a link",
    (address) =>
      `https://list.example/out?t=${Buffer.from(JSON.stringify({ id: 1, mail: address })).toString("base64url")}&x=1`,
  ),
  inText(
    "base64 that is quoted",
    (address) => `> ${lines(Buffer.from(`${"-".repeat(80)}${address}${"-".repeat(80)}`)).replaceAll("\r\n", "\n> ")}`,
  ),
  inText("base64 in base64", (address) =>
    lines(Buffer.from(lines(Buffer.from(`${"x ".repeat(40)}${address} ${"x ".repeat(40)}`)))),
  ),
  inText("uuencode", (address) => uuencode(Buffer.from(`these are my notes, ${address} wrote them`))),
  inText("an archive in base64", (address) => lines(docx(address))),
  inText("the address with a tag", (address) => address.replace("@", "+notes@")),
];

function wrapped(message: string): CarrierEntity {
  const header = ["MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=outer"];
  const part = ["--outer", "", "see below", "--outer", "Content-Type: message/rfc822", "", message];
  return { header, body: [...part, "--outer--", ""].join("\r\n") };
}
