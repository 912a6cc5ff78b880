import { cleanDisplayName, displayNameMessages, displayNameProblem, limits } from "@kauke/contract";
import {
  addressesOf,
  composeMessage,
  messageIdKeys,
  parseAddressList,
  readHeader,
  rewriteReplyHeader,
} from "@kauke/mail-rfc";
import fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, test } from "vitest";
import { revealsMailbox } from "./display-name.ts";

const address = "me@own.example";
const at = new Date(0);
const messageId = "<a@own.example>";

const composed = (fromName: string) =>
  composeMessage({ from: address, fromName, to: ["ann@a.example"], subject: "hi", text: "text\n", at, messageId });

function replied(aliasName: string): Buffer {
  const wire = Buffer.from(`From: Real Person <${address}>\r\nTo: ann@a.example\r\nSubject: hi\r\n\r\n`);
  const { fields, end } = readHeader(wire);
  const { header } = rewriteReplyHeader({
    header: wire.subarray(0, end),
    fields,
    aliasAddress: address,
    aliasName,
    correspondentOf: (person) => ({ name: null, address: person }),
    messageIds: messageIdKeys(Buffer.alloc(32), "own.example"),
    ownDomains: [],
    newMessageId: messageId,
    receivedAt: at,
  });
  return Buffer.concat([header, Buffer.from("\r\ntext\r\n")]);
}

const special = fc.constantFrom(
  ..."\"\\<>(),:;[]=?_. '`%&!",
  "=?utf-8?Q?",
  "?=",
  "ą",
  "Ž",
  "日本",
  "👩‍🚀",
  "é",
  "ا",
  "ß",
);
const texts = fc.oneof(
  fc.array(special, { maxLength: 70 }).map((all) => all.join("")),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: "grapheme", maxLength: 80 }),
);
const permitted = texts.map(cleanDisplayName).filter((name) => name !== "" && displayNameProblem(name) === null);

describe("a display name", () => {
  test("that is permitted arrives as it is, adds no field and no other author, by our parser and a foreign one", async () => {
    await fc.assert(
      fc.asyncProperty(permitted, async (name) => {
        for (const message of [composed(name), replied(name)]) {
          const { fields, end } = readHeader(message);
          const names = fields.map((field) => field.name);
          expect(names).toEqual([...new Set(names)]);
          const header = message.subarray(0, end);
          expect(addressesOf({ header, fields }, "from").mailboxes).toEqual([{ name, address }]);
          expect(header.toString("latin1")).toMatch(/^[\x20-\x7e\r\n]*$/);
          const read = await PostalMime.parse(message);
          expect([read.from, read.to, read.subject]).toEqual([
            { name, address },
            [{ name: "", address: "ann@a.example" }],
            "hi",
          ]);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("that is refused can't end the field either", () => {
    fc.assert(
      fc.property(texts, (name) => {
        const names = readHeader(composed(name)).fields.map((field) => field.name);
        expect(names).toEqual(readHeader(composed("x")).fields.map((field) => field.name));
      }),
    );
  });

  test.each([
    ["Jonas\r\nBcc: eve@a.example", displayNameMessages.characters],
    ["Jonas\tReal", displayNameMessages.characters],
    ["Jonas\u2028Real", displayNameMessages.characters],
    ["Jonas \u202egnp.exe", displayNameMessages.characters],
    ["\u2066Jonas", displayNameMessages.characters],
    ["Jo\u200bnas", displayNameMessages.characters],
    ["\ud800", displayNameMessages.characters],
    ["boss@bank.example", displayNameMessages.address],
    ["boss＠bank.example", displayNameMessages.address],
    ["boss﹫bank.example", displayNameMessages.address],
    ["x".repeat(limits.displayNameMax + 1), displayNameMessages.length],
    ["😀".repeat(49), displayNameMessages.length],
    ["\u0301", displayNameMessages.empty],
  ])("%j is refused", (typed, message) => {
    expect(displayNameProblem(cleanDisplayName(typed))).toBe(message);
  });

  test.each([
    ["  Jonas \u00a0 of  Own ", "Jonas of Own"],
    ["A\u0328z\u030cuolas", "Ąžuolas"],
    ["日".repeat(limits.displayNameMax), "日".repeat(limits.displayNameMax)],
    ['"Kiosk", Vilnius', '"Kiosk", Vilnius'],
    ["👩\u200d🚀", "👩\u200d🚀"],
  ])("%j is stored as %j", (typed, stored) => {
    expect([cleanDisplayName(typed), displayNameProblem(cleanDisplayName(typed))]).toEqual([stored, null]);
  });

  test("reveals a mailbox if it has its local part and its domain in any form", () => {
    const mailboxes = ["Jonas.Real+tag@inbox.example", "ona@žuvis.example"];
    for (const name of [
      "jonas.real inbox.example",
      "JONAS REAL (at) inbox . example",
      "ona%40xn--uvis-kbb.example",
      "Ona, Žuvis.example",
    ])
      expect([name, revealsMailbox(name, mailboxes)]).toEqual([name, true]);
    for (const name of ["Jonas Real", "inbox.example", "Jonas of Own", "Ona"])
      expect([name, revealsMailbox(name, mailboxes)]).toEqual([name, false]);
  });

  test("parses as one mailbox in a list", () => {
    expect(parseAddressList('"Kiosk, \\"Vilnius\\"" <me@own.example>')).toEqual([
      { name: 'Kiosk, "Vilnius"', address },
    ]);
  });
});
