import { deflateRawSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it, test } from "vitest";
import { AliasImportError, type ForeignAlias } from "./foreign-alias.ts";
import { readImport } from "./read-import.ts";

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function readAll(file: string | Uint8Array, size = 65_536) {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  const { format, rows } = await readImport(chunked(bytes, size));
  const found: ForeignAlias[] = [];
  for await (const row of rows) found.push(row);
  return { format, rows: found };
}

/** The error message with which a file is refused. */
async function refusal(file: string | Uint8Array): Promise<string> {
  const thrown = await readAll(file).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AliasImportError)) throw new Error("the file was read", { cause: thrown });
  expect(["invalid", "too_large"]).toContain(thrown.reason);
  return thrown.message;
}

const shown = ({ address, notes, active, destinations, isDeleted }: ForeignAlias) => {
  return { address, notes, active, destinations, isDeleted };
};
const alias = (address: string, rest: Partial<ForeignAlias> = {}) => {
  return { address, notes: "", active: true, destinations: [], isDeleted: false, ...rest };
};

const zip = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const simpleLoginZip = zip({
  "user.json": '{"email":"ann@people.example"}',
  "aliases.json": JSON.stringify([
    { id: 1, email: "a@sl.example", note: 'x, "y" ü', enabled: true, mailbox_id: 7, delete_on: null },
    { id: 2, email: "b@sl.example", note: null, enabled: false, mailbox_id: 8, delete_on: "2026-01-01T00:00:00" },
  ]),
  "mailboxes.json": '[{"id":7,"email":"ann@people.example"},{"id":8,"email":"bo@people.example"}]',
  "email_logs.json": "[]",
});

const kaukeExport = JSON.stringify({
  service: "Kauke",
  notes: ["{[", '"'],
  tables: {
    user: { about: "x", rows: [{ email: "ann@people.example", enabled: true }] },
    alias: {
      about: "x",
      rows: [
        {
          name: "Shop",
          domain: "kauke.test",
          notes: "n",
          active: true,
          destinations: [
            { kind: "mailbox", address: "ann@people.example" },
            { kind: "webhook", url: "https://hook.example/a,b" },
          ],
          lastDestinations: [],
        },
        { name: "off", domain: "kauke.test", notes: null, active: false, destinations: [], lastDestinations: [] },
      ],
    },
    session: { about: "x", rows: [{ name: "not an alias", domain: "x" }] },
  },
});

const files: readonly (readonly [what: string, file: string | Uint8Array, format: string, rows: object[]])[] = [
  [
    "SimpleLogin's export, with a byte order mark and all line ends",
    '\u{feff}alias,note,enabled,mailboxes\r\na@sl.example,"with, comma ""and"" quote",False,ann@x.example bo@x.example\nü@sl.example,\'=1+1,True,\r',
    "simplelogin-csv",
    [
      alias("a@sl.example", {
        notes: 'with, comma "and" quote',
        active: false,
        destinations: ["ann@x.example", "bo@x.example"],
      }),
      alias("ü@sl.example", { notes: "=1+1" }),
    ],
  ],
  [
    "the file that SimpleLogin imports, saved by a spreadsheet with semicolons",
    'alias;note;mailboxes\r\n"a@own.example";"line 1\r\nline 2";ann@x.example\r\n',
    "simplelogin-csv",
    [alias("a@own.example", { notes: "line 1\r\nline 2", destinations: ["ann@x.example"] })],
  ],
  [
    "SimpleLogin's archive",
    simpleLoginZip,
    "simplelogin-zip",
    [
      alias("a@sl.example", { notes: 'x, "y" ü', destinations: ["ann@people.example"] }),
      alias("b@sl.example", { active: false, destinations: ["bo@people.example"], isDeleted: true }),
    ],
  ],
  [
    "addy.io's export, which leaves the cells of false and null empty",
    '"id","local_part","domain","email","active","pinned","description","emails_forwarded","deleted_at"\n"1","a","addy.example","a@addy.example","1","","note","",""\n"2","b","addy.example","b@addy.example","","","paused","3",""\n"3","c","addy.example","c@addy.example","","1","","","2026-01-01 00:00:00"\n"4","d","addy.example","d@addy.example","TRUE"\n"5","e","addy.example","e@addy.example"\n',
    "addy-csv",
    [
      alias("a@addy.example", { notes: "note" }),
      alias("b@addy.example", { notes: "paused", active: false }),
      alias("c@addy.example", { active: false, isDeleted: true }),
      alias("d@addy.example"),
      alias("e@addy.example", { active: false }),
    ],
  ],
  [
    "addy.io's export as some spreadsheets save it, with 0 and FALSE",
    "email,local_part,active\na@addy.example,a,0\nb@addy.example,b,FALSE\n",
    "addy-csv",
    [alias("a@addy.example", { active: false }), alias("b@addy.example", { active: false })],
  ],
  [
    "a list of addy.io's aliases without the column of their state",
    "email,local_part\na@addy.example,a\n",
    "addy-csv",
    [alias("a@addy.example")],
  ],
  [
    "SimpleLogin's export with empty cells in the column of the state",
    "alias,note,enabled,mailboxes\na@sl.example,,,\nb@sl.example,,True,\n",
    "simplelogin-csv",
    [alias("a@sl.example", { active: false }), alias("b@sl.example")],
  ],
  [
    "the file that addy.io imports",
    'alias,description,recipients\na@own.example,d,"ann@x.example,bo@x.example"\n',
    "addy-csv",
    [alias("a@own.example", { notes: "d", destinations: ["ann@x.example", "bo@x.example"] })],
  ],
  [
    "a page of addy.io's API",
    '{"data":[{"email":"a@addy.example","local_part":"a","domain":"addy.example","active":true,"description":"d","recipients":[{"email":"ann@x.example"}],"deleted_at":null}],"links":{},"meta":{"links":[{"url":null}]}}',
    "addy-json",
    [alias("a@addy.example", { notes: "d", destinations: ["ann@x.example"] })],
  ],
  [
    "Firefox Relay's masks",
    '[{"mask_type":"random","enabled":false,"description":"Shop","generated_for":"shop.example","full_address":"a1@mozmail.com"}]',
    "relay-json",
    [alias("a1@mozmail.com", { notes: "Shop (shop.example)", active: false })],
  ],
  [
    "Forward Email's aliases",
    '[{"name":"a","domain":{"name":"own.example"},"recipients":["ann@x.example","https://hook.example"],"description":"d","is_enabled":true},{"name":"*","domain":{"name":"own.example"},"recipients":["x@x.example"]}]',
    "forward-email-json",
    [
      alias("a@own.example", { notes: "d", destinations: ["ann@x.example", "https://hook.example"] }),
      alias("*@own.example", { destinations: ["x@x.example"] }),
    ],
  ],
  [
    "Forward Email's DNS records, bare and of a zone",
    'forward-email=bare:ann@x.example\nown.example.\t3600\tIN\tTXT\t"forward-email=a:ann@x.example,!b:bo@x.exam" "ple,a:https://hook.example/x"\n; own.example. IN TXT "forward-email=comment:x@x.example"\n',
    "forward-email-txt",
    [
      alias("bare", { destinations: ["ann@x.example"] }),
      alias("a@own.example", { destinations: ["ann@x.example", "https://hook.example/x"] }),
      alias("b@own.example", { active: false, destinations: ["bo@x.example"] }),
    ],
  ],
  [
    "Mailx' export, which quotes nothing",
    "alias,description,enabled,recipients\na@mx.example,one,two,false,ann@x.example,bo@x.example\nb@mx.example,,true,\n",
    "mailx-csv",
    [
      alias("a@mx.example", { notes: "one,two", active: false, destinations: ["ann@x.example", "bo@x.example"] }),
      alias("b@mx.example"),
    ],
  ],
  [
    "Mailx' export with descriptions that contain commas, quotes, line breaks and words of the column of the state",
    [
      "alias,description,enabled,recipients",
      'a@mx.example,"Shop, old",false,ann@x.example',
      'b@mx.example,5" disks,false,ann@x.example',
      'c@mx.example,"never closed,true,ann@x.example',
      "d@mx.example,is it true,true,false,ann@x.example,bo@x.example",
      "e@mx.example,one,",
      "",
      "two, true",
      ",three,false,ann@x.example",
      "f@mx.example,true,,false,ann@x.example",
      "*@own.example,all,true,ann@x.example",
    ].join("\r\n"),
    "mailx-csv",
    [
      alias("a@mx.example", { notes: '"Shop, old"', active: false, destinations: ["ann@x.example"] }),
      alias("b@mx.example", { notes: '5" disks', active: false, destinations: ["ann@x.example"] }),
      alias("c@mx.example", { notes: '"never closed', destinations: ["ann@x.example"] }),
      alias("d@mx.example", {
        notes: "is it true,true",
        active: false,
        destinations: ["ann@x.example", "bo@x.example"],
      }),
      alias("e@mx.example", { notes: "one,\ntwo, true\n,three", active: false, destinations: ["ann@x.example"] }),
      alias("f@mx.example", { notes: "true,", active: false, destinations: ["ann@x.example"] }),
      alias("*@own.example", { notes: "all", destinations: ["ann@x.example"] }),
    ],
  ],
  [
    "Mailx' export saved by a spreadsheet, with quotes and another order",
    'alias,enabled,description,recipients\n"a@mx.example",FALSE,"one, ""two""","ann@x.example,bo@x.example"\nb@mx.example,,,\n',
    "mailx-csv",
    [
      alias("a@mx.example", {
        notes: 'one, "two"',
        active: false,
        destinations: ["ann@x.example", "bo@x.example"],
      }),
      alias("b@mx.example", { active: false }),
    ],
  ],
  [
    "Kauke's own export",
    kaukeExport,
    "kauke-json",
    [
      alias("Shop@kauke.test", { notes: "n", destinations: ["ann@people.example", "https://hook.example/a,b"] }),
      alias("off@kauke.test", { active: false }),
    ],
  ],
];

describe("the format of a file is detected by its content", () => {
  test.each(files)("%s", async (_, file, format, rows) => {
    const read = await readAll(file);
    expect(read.format).toBe(format);
    expect(read.rows.map(shown)).toEqual(rows);
    expect(read.rows.map((one) => one.row)).toEqual(rows.map((__, index) => index + 1));
  });

  test.each(files)("%s, in chunks of any size", async (_, file, format, rows) => {
    for (const size of [1, 2, 3, 7, 64]) {
      const read = await readAll(file, size);
      expect([size, read.format, read.rows.map(shown)]).toEqual([size, format, rows]);
    }
  });
});

it("a row of Mailx' export without the column of the state has a problem, and the rows around it are read", async () => {
  const { rows } = await readAll(
    "alias,description,enabled,recipients\nno address,x,true,ann@x.example\na@mx.example,one\nb@mx.example,true\nc@mx.example,,false,ann@x.example\n",
  );
  const problem = "The row has no column `enabled`.";
  expect(rows).toMatchObject([
    { row: 1, address: "no address", problem: null },
    { row: 2, address: "a@mx.example", problem },
    { row: 3, address: "b@mx.example", problem },
    { row: 4, address: "c@mx.example", active: false, problem: null },
  ]);
});

describe("a file of a known format that cannot be imported is named in the error", () => {
  test.each([
    [
      "Bitwarden",
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n",
    ],
    ["Bitwarden", '{"encrypted":false,"folders":[{"id":"1","name":"x"}],"items":[]}'],
    ["Proton Pass", "type,name,url,autofillUrls,email,username,password,note,totp,createTime,modifyTime,vault\n"],
    ["Proton Pass", '{"encrypted":false,"vaults":{}}'],
    ["Proton Pass", zip({ "Proton Pass/data.json": "{}" })],
    ["KeePass", '"Group","Title","Username","Password","URL","Notes"\n'],
    ["LastPass", "url,username,password,totp,extra,name,grouping,fav\n"],
    ["Firefox", '"url","username","password","httpRealm","formActionOrigin","guid"\n'],
    ["Chrome", "name,url,username,password,note\n"],
  ])("%s", async (name, file) => {
    const message = await refusal(file);
    if (name === "Proton Pass" && typeof file === "string" && file.startsWith("{"))
      expect(message).toMatch(/Proton Pass|Bitwarden/);
    else expect(message).toContain(`This is a ${name} export`);
  });

  test.each([
    ["nothing", ""],
    ["a text", "hello, world\n"],
    ["other JSON", '[{"x":1}]'],
    ["an archive without aliases", zip({ "readme.txt": "x" })],
    ["UTF-16", Buffer.from("\u{feff}alias,note", "utf16le")],
    ["octets", Buffer.from([0, 1, 2, 255])],
  ])("%s", async (_, file) => {
    expect((await refusal(file)).length).toBeGreaterThan(10);
  });
});

describe("a hostile file is refused with a message that quotes nothing of the file", () => {
  const header = "alias,note,enabled,mailboxes\n";
  const nested = (open: string, close: string) => `${open.repeat(100_000)}${close.repeat(100_000)}`;
  const long = "canary".repeat(200_000);

  test.each([
    ["invalid UTF-8", Buffer.concat([Buffer.from(header), Buffer.from([0x61, 0xff, 0xfe, 0x0a])])],
    ["UTF-8 that ends in a character", Buffer.concat([Buffer.from(header), Buffer.from([0x61, 0xe2, 0x82])])],
    ["a row of a megabyte", `${header}${long},x,True,\n`],
    ["a header of a megabyte", `${long}\n`],
    ["a million columns", `${header}${",".repeat(1_000_000)}\n`],
    ["a quote that never ends", `${header}"${long}`],
    ["a row of Mailx of a megabyte", `alias,description,enabled,recipients\na@mx.example,${long},true,\n`],
    [
      "a row of Mailx of a million lines",
      `alias,description,enabled,recipients\na@mx.example,${"canary\n".repeat(100_000)}`,
    ],
    ["nested lists", nested("[", "]")],
    ["nested objects", nested('{"a":', "1}")],
    ["lists nested in an entry", `[{"full_address":"x","enabled":${nested("[", "]")}}]`],
    ["an entry of a megabyte", `[{"full_address":"${long}","enabled":true}]`],
    ["JSON that breaks off", '[{"full_address":"a@canary.example","enabled":true},'],
    ["JSON with something after it", '[{"full_address":"a@canary.example","enabled":true}] canary'],
    ["an archive that breaks off", simpleLoginZip.subarray(0, simpleLoginZip.length / 2)],
    ["an archive of 100,000 files", manyFiles(100_000)],
    ["names that lead elsewhere", zip({ "../../aliases.json": "[]", "/aliases.json": "[]" })],
  ])("%s", async (_, file) => {
    expect(await refusal(file)).not.toContain("canary");
  });

  it("an archive that unpacks to more than 128 MiB is refused", async () => {
    const blanks = Buffer.alloc(140 * 1_048_576, " ");
    const bomb = Buffer.concat([localHeader("aliases.json", blanks.length), deflateRawSync(blanks)]);
    bomb.writeUInt32LE(bomb.length - 30 - "aliases.json".length, 18);
    expect(bomb.length).toBeLessThan(1_048_576);
    expect(await refusal(bomb)).toContain("128 MiB");
  });

  it("an archive that states false sizes is refused", async () => {
    const lying = Buffer.from(simpleLoginZip);
    for (let at = 0; at < lying.length - 30; at += 1)
      if (lying.readUInt32LE(at) === 0x04034b50) lying.writeUInt32LE(0xffff_ffff, at + 18);
    expect((await refusal(lying)).length).toBeGreaterThan(10);
  });
});

/** An archive with empty files. It is written by hand, because the reader uses only local file headers. */
function manyFiles(count: number): Uint8Array {
  return Buffer.concat(Array.from({ length: count }, (_, index) => localHeader(`f${index}`, 0)));
}

/** A local file header of a ZIP archive. @param sizeBytes size before compression; 0 for an empty, stored file */
function localHeader(name: string, sizeBytes: number): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(sizeBytes === 0 ? 0 : 8, 8);
  head.writeUInt32LE(sizeBytes, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name)]);
}
