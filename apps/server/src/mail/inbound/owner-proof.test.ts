import { describe, expect, test } from "vitest";
import { mailboxProof, type SendingFacts } from "./owner-proof.ts";

const facts: SendingFacts = {
  to: "reply",
  envelopeFrom: "ann@inbox.example",
  author: "ann@inbox.example",
  isBySpf: true,
  isSigned: false,
  isNote: false,
};

type Row = [what: string, facts: Partial<SendingFacts>, own: string | null, shared: string | null];

const other = { envelopeFrom: "eve@inbox.example" };
const noSpf = { isBySpf: false };
const signed = { isSigned: true };
const rows: { [To in SendingFacts["to"]]: Row[] } = {
  reply: [
    ["the mailbox itself", {}, "envelope", "envelope"],
    ["the mailbox in another case", { envelopeFrom: "Ann@INBOX.example" }, "envelope", "envelope"],
    ["a sub-address", { envelopeFrom: "ann+list@inbox.example" }, "envelope", "envelope"],
    ["a BATV address", { envelopeFrom: "prvs=01234abcde=ann@inbox.example" }, "envelope", "envelope"],
    ["a BATV address of Exim", { envelopeFrom: "prvs=ann/01234abcde@inbox.example" }, "envelope", "envelope"],
    ["a bounce address of Barracuda", { envelopeFrom: "btv1==0123456789a==ann@inbox.example" }, "envelope", "envelope"],
    ["somebody else's BATV address", { envelopeFrom: "prvs=01234abcde=eve@inbox.example" }, "envelope", null],
    ["another mailbox", other, "envelope", null],
    ["the same name at another domain", { envelopeFrom: "ann@lists.inbox.example" }, "envelope", null],
    ["the null sender", { envelopeFrom: "" }, "envelope", null],
    ["the null sender, signed", { envelopeFrom: "", ...signed }, "envelope", null],
    ["the null sender without SPF, signed", { envelopeFrom: "", ...noSpf, ...signed }, "signature", null],
    ["an absence note, signed", { envelopeFrom: "", isNote: true, ...noSpf, ...signed }, "signature", "signature"],
    ["an absence note, not signed", { envelopeFrom: "", isNote: true }, "envelope", null],
    ["another mailbox, signed", { ...other, ...signed }, "envelope", null],
    ["the mailbox without SPF", noSpf, null, null],
    ["the mailbox without SPF, signed", { ...noSpf, ...signed }, "signature", null],
    ["another mailbox without SPF, signed", { ...noSpf, ...signed, ...other }, "signature", null],
  ],
  send: [
    ["the mailbox itself", {}, "envelope", "envelope"],
    ["the mailbox without its tag", { author: "ann+x@inbox.example" }, "envelope", "envelope"],
    ["a BATV address", { envelopeFrom: "prvs=01234abcde=ann@inbox.example" }, "envelope", "envelope"],
    ["a sub-address, which may be somebody's name", { envelopeFrom: "ann+list@inbox.example" }, null, null],
    [
      "a sub-address at a public host",
      { envelopeFrom: "ann+list@fastmail.com", author: "ann@fastmail.com" },
      "envelope",
      "envelope",
    ],
    ["another mailbox", other, null, null],
    ["another mailbox, signed", { ...other, ...signed }, "signature", null],
    ["the null sender", { envelopeFrom: "" }, null, null],
    ["an absence note, signed", { envelopeFrom: "", isNote: true, ...signed }, "signature", null],
    ["the mailbox without SPF", noSpf, null, null],
    ["the mailbox without SPF, signed", { ...noSpf, ...signed }, "signature", null],
  ],
};

describe.each(["reply", "send"] as const)("at a %s address, the sender", (to) => {
  test.each(rows[to])("%s", (_, change, own, shared) => {
    expect(mailboxProof({ ...facts, to, ...change })).toEqual({ own, shared });
  });
});
