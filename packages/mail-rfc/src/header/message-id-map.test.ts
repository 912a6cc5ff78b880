import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMessageId } from "./message-id.ts";
import {
  messageIdKeys,
  openMessageId,
  REFERENCES_MAX,
  sealMessageId,
  type ThreadHosts,
  threadForCorrespondent,
  threadForOwner,
} from "./message-id-map.ts";

const keys = messageIdKeys(Buffer.alloc(32, 1), "alias.test");
const otherKeys = messageIdKeys(Buffer.alloc(32, 2), "alias.test");
const noHosts = { messageId: null, own: [], correspondents: [] };
const character = fc.constantFrom(..."abcXYZ0123456789.$+=_-/é");
const word = fc.array(character, { minLength: 1, maxLength: 45 }).map((all) => all.join(""));
const anyId = fc.tuple(word, word).map(([left, right]) => `<${left}@${right}.example>`);

describe("a sealed identifier", () => {
  it("can be opened in any letter case, with its own key only", () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const sealed = sealMessageId(id, keys);
        expect(parseMessageId(sealed)).toMatchObject({ right: "alias.test" });
        expect(sealed).not.toContain(".example");
        expect(sealMessageId(id, keys)).toBe(sealed);
        const isShort = Buffer.byteLength(id) - 2 <= 109;
        expect(openMessageId(sealed, keys)).toBe(isShort ? id : null);
        expect(openMessageId(sealed.toUpperCase(), keys)).toBe(isShort ? id : null);
        expect(openMessageId(sealed, otherKeys)).toBeNull();
      }),
    );
  });

  it("of a long identifier is a deterministic keyed hash that cannot be opened", () => {
    const long = `<${"x".repeat(400)}@laptop.example>`;
    const sealed = sealMessageId(long, keys);
    expect(sealed.length).toBeLessThan(60);
    expect(sealMessageId(long, keys)).toBe(sealed);
    expect(sealMessageId(long, otherKeys)).not.toBe(sealed);
    expect(openMessageId(sealed, keys)).toBeNull();
  });

  it.each([
    "<20261126.A>",
    "20261126.A",
    "<a@b@laptop.example>",
    "<a b@laptop.example>",
    "<owner@home.example@alias.test>",
  ])("of %s can be opened in this spelling", (id) => {
    const sealed = sealMessageId(id, keys);
    expect(sealed).toMatch(/^<[a-z2-7]+@alias\.test>$/);
    expect(openMessageId(sealed, keys)).toBe(id);
  });

  it("is not sealed again", () => {
    const sealed = sealMessageId("<a@b.example>", keys);
    expect(sealMessageId(sealed, keys)).toBe(sealed);
  });

  it("cannot be opened after a change, nor can any other identifier", () => {
    const sealed = sealMessageId("<note.1@laptop.example>", keys);
    for (let at = 1; at < sealed.indexOf("@"); at += 1) {
      const turned = `${sealed.slice(0, at)}${sealed[at] === "a" ? "b" : "a"}${sealed.slice(at + 1)}`;
      expect(openMessageId(turned, keys)).toBeNull();
    }
    for (const id of ["<a@b.example>", "<@alias.test>", "<a@alias.test>", "", "<", "<v.aaaaaaaa@alias.test>"])
      expect(openMessageId(id, keys)).toBeNull();
  });
});

describe("a thread", () => {
  it("started by a correspondent keeps the correspondent's identifiers in the reply", () => {
    const seen = threadForOwner({ inReplyTo: [], references: [] }, ["<first@stranger.example>"], keys);
    // Mail programs copy all of References and append the Message-ID of the message being answered.
    const reply = threadForCorrespondent(
      { inReplyTo: ["<first@stranger.example>"], references: [...seen.references, "<first@stranger.example>"] },
      keys,
      noHosts,
    );
    expect(reply).toEqual({ inReplyTo: ["<first@stranger.example>"], references: ["<first@stranger.example>"] });
  });

  it("is consistent on both sides over many messages and reveals no identifier of the owner's program", () => {
    const turns = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(turns, fc.uniqueArray(anyId, { minLength: 12, maxLength: 12 }), (isOwnersTurn, ids) => {
        // For each side, the identifiers its program would put into References next.
        let ownersView: string[] = [];
        let strangersView: string[] = [];
        const written: string[] = [];
        for (const [index, isOwners] of isOwnersTurn.entries()) {
          const id = ids[index] ?? "";
          if (isOwners) {
            const out = threadForCorrespondent(
              { inReplyTo: ownersView.slice(-1), references: ownersView },
              keys,
              noHosts,
            );
            expect(out.references.filter((one) => written.includes(one))).toEqual([]);
            expect(out.inReplyTo).toEqual(out.references.slice(-1));
            expect(out.references).toEqual(strangersView);
            written.push(id);
            ownersView = [...ownersView, id];
            strangersView = [...out.references, sealMessageId(id, keys)];
          } else {
            const seen = threadForOwner({ inReplyTo: strangersView.slice(-1), references: strangersView }, [id], keys);
            ownersView = [...seen.references, id];
            strangersView = [...strangersView, id];
          }
          const plain = (view: string[]) => view.filter((one) => !one.startsWith("<v."));
          const openable = strangersView.map((one) => openMessageId(one, keys) ?? one);
          if (strangersView.every((one) => !one.includes("@alias.test") || openMessageId(one, keys) !== null))
            expect(plain(ownersView)).toEqual(openable);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("an identifier without a voucher counts as the owner's and is sealed", () => {
    const own = "<draft-2@laptop.owner.example>";
    const reply = threadForCorrespondent(
      { inReplyTo: [own], references: ["<old@laptop.owner.example>", own] },
      keys,
      noHosts,
    );
    expect(JSON.stringify(reply)).not.toContain("owner.example");
    expect(openMessageId(reply.inReplyTo[0] ?? "", keys)).toBe(own);
  });

  it("without a voucher, what the owner's program can't have made is the correspondent's", () => {
    const hosts = {
      messageId: "<new@laptop.example>",
      own: ["owner.example"],
      correspondents: ["mail.tracker.example"],
    };
    const pass = (id: string, own: ThreadHosts = hosts) =>
      threadForCorrespondent({ inReplyTo: [id], references: [] }, keys, own).inReplyTo[0] === id;
    for (const id of ["<a@tracker.example>", "<a@x.Mail.tracker.example>", "<b@c@tracker.example>", "<2026.A>"])
      expect([id, pass(id)]).toEqual([id, true]);
    for (const id of [
      "<a@owner.example>",
      "<a@laptop.example>",
      "<a@example>",
      "<a@nottracker.example>",
      "tracker.example",
    ])
      expect([id, pass(id)]).toEqual([id, false]);
    const neighbour = { ...hosts, own: ["tracker.example"] };
    expect(pass("<a@tracker.example>", neighbour)).toBe(false);
    // Another machine of the host at which the owner's program is too, in a letter to another customer of it.
    const large = {
      messageId: "<new@db7.prod.large.example>",
      own: ["own.example"],
      correspondents: ["large.example"],
    };
    expect(pass("<before@am0.prod.large.example>", large)).toBe(false);
    expect(pass("<hers@am0.prod.large.example>", { ...large, messageId: "<new@laptop.example>" })).toBe(true);
    expect(pass("<2026.A>", { ...hosts, messageId: "<2026.B>" })).toBe(false);
    expect(pass("<a@tracker.example>", noHosts)).toBe(false);
  });

  it("a voucher covers identifiers without brackets or with blanks, and then decides alone", () => {
    const foreign = ["1234567", "<a b@tracker.example>"];
    const { references } = threadForOwner({ inReplyTo: [], references: foreign }, [], keys);
    expect(references.slice(0, 2)).toEqual(foreign);
    const hosts = { messageId: "<new@laptop.example>", own: [], correspondents: ["tracker.example"] };
    const answer = [...references, "<ab@tracker.example>", "<1234567>", "phrase", "<own@tracker.example>"];
    const outward = threadForCorrespondent({ inReplyTo: [], references: answer }, keys, hosts).references;
    expect(outward).toEqual([
      ...foreign,
      "<ab@tracker.example>",
      "<1234567>",
      sealMessageId("<own@tracker.example>", keys),
    ]);
  });

  it("a voucher made with another key or by somebody else has no effect and is removed", () => {
    const forged = threadForOwner({ inReplyTo: [], references: [] }, ["<own@laptop.example>"], otherKeys).references;
    const reply = threadForCorrespondent(
      { inReplyTo: [], references: [...forged, "<own@laptop.example>"] },
      keys,
      noHosts,
    );
    expect(reply.references).toEqual([sealMessageId("<own@laptop.example>", keys)]);
    expect(threadForOwner({ inReplyTo: forged, references: forged }, [], keys)).toEqual({
      inReplyTo: [],
      references: [],
    });
  });

  it("of hundreds of messages is cut to its first and its last identifiers", () => {
    const ids = Array.from({ length: 500 }, (_, index) => `<${index}@stranger.example>`);
    const { references } = threadForOwner({ inReplyTo: [], references: ids }, [], keys);
    expect(references).toHaveLength(REFERENCES_MAX + 1);
    expect(references.slice(0, 2)).toEqual(["<0@stranger.example>", "<471@stranger.example>"]);
  });
});
