import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SHOWN_NAME_MAX, shownName } from "./format-address.ts";
import {
  openCorrespondent,
  readReplyToken,
  replyAddress,
  replyContentKey,
  replyRowId,
  replyToken,
  sealCorrespondent,
} from "./reply-address.ts";

const key = Buffer.from("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "hex");
const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.string({ unit: "grapheme", maxLength: 80 }));

describe("a reply token", () => {
  // All three values were computed independently with Python's hmac and hashlib; the token:
  // base64.b32encode(hmac.digest(bytes(range(32)), b"ann@example.org", "sha256")).lower()[:20]
  it("is the first 100 bits of the keyed hash", () => {
    expect(replyToken(key, "ann@example.org")).toBe("qjh6nr72qlgh2jzjzns3");
    expect(replyRowId("aaaaaaaaaaaaaaaaaaaa").toString("hex")).toBe(
      "30a43531639c6d20e5a8dc34afe89061ff3d8051af3d919e6ba1fe36775ed421",
    );
    expect(replyContentKey("aaaaaaaaaaaaaaaaaaaa").toString("hex")).toBe(
      "35e2ca95c707de3d98caa8f183e76f8951b3168c04ca8150974c2cd3b13a28d4",
    );
  });

  it("is the same for every spelling of a correspondent, and differs by key and correspondent", () => {
    const token = replyToken(key, "ann@example.org");
    expect(replyToken(key, "Ann@EXAMPLE.org")).toBe(token);
    expect(replyToken(key, "ann@example.net")).not.toBe(token);
    expect(replyToken(Buffer.alloc(32), "ann@example.org")).not.toBe(token);
  });

  it("is read from its address in any letter case, and from no other address", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.emailAddress(), (bytes, correspondent) => {
        const token = replyToken(Buffer.from(bytes), correspondent);
        const [local = ""] = replyAddress(token, "alias.test").split("@");
        const former = `r.${token}`;
        for (const written of [local, former]) {
          expect([readReplyToken(written), readReplyToken(written.toUpperCase())]).toEqual([token, token]);
        }
      }),
    );
    for (const start of ["r.", "r-"]) {
      const locals = ["short", "1".repeat(20), "a".repeat(19), "a".repeat(21), `${"a".repeat(20)}\n`];
      for (const local of ["", ...locals]) expect(readReplyToken(start + local), start + local).toBeNull();
    }
    for (const start of ["", "r", "x.", "x-"]) expect(readReplyToken(start + "a".repeat(20))).toBeNull();
  });

  it("is written in groups, which spam filters do not take for random text", () => {
    expect(replyAddress("mfrggzdfmztwq2lknnwg", "alias.test")).toBe("r-mfrgg-zdfmz-twq2l-knnwg@alias.test");
    // Patterns of SpamAssassin's rules HK_RANDOM_FROM and HK_RANDOM_REPLYTO, FROM_LOCAL_NOVOWEL, FROM_LOCAL_DIGITS,
    // FROM_LOCAL_HEX.
    const rules = [
      /^(?!(?:mail|bounce)[_.-]|[^@]*(?:[+=^~#-]|mc(?:b|g)r)|[^@]{26})[^@]*(?:[bcdfgjklmnpqrtvwxz]{5}|[aeiouy]{5}|([a-z]{1,2})(?:\1){3})/im,
      /[bcdfgjklmnpqrstvwxz]{7}\S*@/i,
      /[0-9a-f]{11}\S*@/i,
      /\d{11}\S*@/i,
    ];
    for (let count = 0; count < 20_000; count += 1) {
      const address = replyAddress(replyToken(key, `${count}@example.org`), "alias.test");
      expect(rules.filter((rule) => rule.test(address))).toEqual([]);
    }
  });

  it("is searched in a long text quickly", () => {
    for (const unit of ["-", "a", "a-", "a---------"]) {
      const began = performance.now();
      expect(readReplyToken(`r-a${unit.repeat(1_000_000 / unit.length)}`)).toBeNull();
      expect(performance.now() - began, unit).toBeLessThan(500);
    }
  });

  it("is read even when a program moved or removed its hyphens", () => {
    const groups = /^r-[a-z2-7]{5}(?:-[a-z2-7]{5}){3}$/;
    const token = "mfrggzdfmztwq2lknnwg";
    expect(replyAddress(token, "").slice(0, -1)).toMatch(groups);
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 19, maxLength: 19 }), (hyphens) => {
        const moved = [...token].map((letter, at) => `${letter}${"-".repeat(hyphens[at] ?? 0)}`).join("");
        expect(readReplyToken(`r-${moved}`)).toBe(token);
        expect(readReplyToken(moved)).toBeNull();
        expect(readReplyToken(`r.-${moved}`)).toBeNull();
      }),
    );
    for (const local of [`r--${token}`, `r-${token}-`, `r.mfrgg-zdfmz-twq2l-knnwg`]) {
      expect(readReplyToken(local), local).toBeNull();
    }
  });
});

describe("a sealed correspondent", () => {
  const token = "mfrggzdfmztwq2lknnwg";

  it("can be opened only with its token", () => {
    fc.assert(
      fc.property(anyText, fc.option(anyText), (address, name) => {
        const sealed = sealCorrespondent(token, { address, name });
        const wanted = JSON.parse(JSON.stringify({ address, name }));
        expect(openCorrespondent(token, sealed)).toEqual(wanted);
        expect(openCorrespondent("aaaaaaaaaaaaaaaaaaaa", sealed)).toBeNull();
      }),
    );
  });

  it("cannot be opened when a bit was flipped or bytes are missing", () => {
    const sealed = sealCorrespondent(token, { address: "ann@example.org", name: "Ann" });
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8((changed[at] ?? 0) ^ 1, at);
      expect(openCorrespondent(token, changed)).toBeNull();
      expect(openCorrespondent(token, sealed.subarray(0, at))).toBeNull();
    }
  });

  it("is different every time, and equally long for addresses of different length", () => {
    const one = sealCorrespondent(token, { address: "a@b.example", name: null });
    const other = sealCorrespondent(token, { address: "ann.lee@example.org", name: null });
    expect(one.length).toBe(other.length);
    expect(one.equals(sealCorrespondent(token, { address: "a@b.example", name: null }))).toBe(false);
    expect(other.toString("latin1")).not.toContain("example");
  });
});

describe("the displayed name", () => {
  const ann = { name: "Ann Lee", address: "ann@example.org", isVerified: true };
  it.each([
    [ann, "Ann Lee (ann at example.org)"],
    [{ ...ann, isVerified: false }, "Unverified: Ann Lee (ann at example.org)"],
    [{ ...ann, name: null }, "ann at example.org"],
    [{ ...ann, name: "  " }, "ann at example.org"],
    [{ ...ann, name: "bank@example.com" }, "bankexample.com (ann at example.org)"],
    [{ ...ann, name: "bank\u{ff20}example\u{fe6b}com" }, "bankexamplecom (ann at example.org)"],
    [
      { ...ann, name: "\u{202e}gro.elpmaxe\u{2066} a\u{200b}b\u{ad}c\u{feff}\u{3164}" },
      "gro.elpmaxe abc (ann at example.org)",
    ],
    [{ ...ann, name: "Ann\r\nBcc:\tx\0" }, "Ann Bcc: x (ann at example.org)"],
    [{ ...ann, name: `${"n".repeat(59)}😀😀` }, `${"n".repeat(59)}😀 (ann at example.org)`],
    [{ ...ann, address: '"a@b"@example.org' }, 'Ann Lee ("ab" at example.org)'],
  ])("of %o is %s", (correspondent, shown) => {
    expect(shownName(correspondent)).toBe(shown);
  });

  it("contains no at sign and no invisible characters, and ends with the real address", () => {
    const marks = fc.constantFrom("@", "\u{ff20}", "\u{202e}", "\u{200b}", "\r\n", " ", "(", ")", "x", "\u{d800}");
    const name = fc.oneof(
      anyText,
      fc.array(marks, { maxLength: 200 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(fc.option(name), anyText, fc.boolean(), (given, local, isVerified) => {
        const shown = shownName({ name: given, address: `${local}@example.org`, isVerified });
        expect(shown).not.toMatch(/[@\u{ff20}\u{fe6b}\p{Cc}\p{Cf}\p{Cs}]/u);
        expect(shown).toMatch(/ at example\.org\)?$/);
        expect(shown.startsWith("Unverified: ") || isVerified).toBe(true);
        expect([...shown].length).toBeLessThanOrEqual(SHOWN_NAME_MAX + 12 + [...local].length + 18);
      }),
      { numRuns: 1000 },
    );
  });
});
