import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { isSrs, readBoundSrs, type SrsContext, type SrsHash, type SrsSubject, srsForward, srsReverse } from "./srs.ts";

interface VectorFile<T> {
  keys: [string, ...string[]];
  domain: string;
  ourDomains: string[];
  now: string;
  vectors: T[];
}

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../../test-vectors/srs/${name}.json`, import.meta.url), "utf8")) as T;

const keyed = (key: string): SrsHash => {
  return (data) => createHmac("sha256", key).update(data).digest();
};

function contextOf(file: VectorFile<unknown>, now: string = file.now): SrsContext {
  const [first, ...others] = file.keys;
  return {
    domain: file.domain,
    isOurDomain: (domain) => file.ourDomains.includes(domain),
    hashes: [keyed(first), ...others.map(keyed)],
    now: new Date(now),
  };
}

const forward = read<VectorFile<{ why: string; from: string; srs: string; reverse: string | null }>>("forward");
const reverse = read<VectorFile<{ why: string; address: string; now: string; reverse: string }>>("reverse");
const mustFail = read<
  VectorFile<{ why: string; address: string; now: string }> & { tooLong: { why: string; from: string }[] }
>("must-fail");

describe("SRS vectors", () => {
  it.each(forward.vectors)("forward: $why", ({ from, srs, reverse: back }) => {
    const context = contextOf(forward);
    expect(srsForward(from, context)).toBe(srs);
    if (srs !== "") expect(srsReverse(srs, context)).toBe(back);
  });

  it.each(reverse.vectors)("reverse: $why", ({ address, now, reverse: back }) => {
    expect(srsReverse(address, contextOf(reverse, now))).toBe(back);
  });

  it.each(mustFail.vectors)("must fail: $why", ({ address, now }) => {
    expect(srsReverse(address, contextOf(mustFail, now))).toBeNull();
  });

  it.each(mustFail.tooLong)("too long: $why", ({ from }) => {
    expect(() => srsForward(from, contextOf(mustFail))).toThrow(new MailSyntaxError("path_too_long"));
  });
});

interface BoundFile extends Omit<VectorFile<{ why: string; from: string; srs: string; reverse: string }>, "keys"> {
  key: string;
  subject: SrsSubject;
  mustFail: { why: string; address: string; subjectId: string }[];
}

describe("bound SRS vectors", () => {
  const { key, subject, vectors, mustFail: failing, ...file } = read<BoundFile>("bound");
  const bound = contextOf({ ...file, keys: [key], vectors: [] });

  it.each(vectors)("$why", ({ from, srs, reverse: back }) => {
    expect(srsForward(from, bound, subject)).toBe(srs);
    const found = readBoundSrs(srs, bound);
    expect(found).toMatchObject({ sender: back, hint: subject.hint });
    expect(found?.isBoundTo(subject.id)).toBe(true);
    expect(srsReverse(srs, bound)).toBeNull();
  });

  it.each(failing)("must fail: $why", ({ address, subjectId }) => {
    expect(readBoundSrs(address, bound)?.isBoundTo(subjectId)).toBe(false);
  });

  it.each(vectors)("expires after three weeks: $why", ({ srs }) => {
    expect(readBoundSrs(srs, { ...bound, now: new Date("2026-03-22T12:00:00Z") })).not.toBeNull();
    expect(readBoundSrs(srs, { ...bound, now: new Date("2026-03-23T12:00:00Z") })).toBeNull();
  });

  it("an unbound address is not read as a bound one", () => {
    expect(readBoundSrs(srsForward("ann@example.org", bound), bound)).toBeNull();
  });
});

const context = contextOf(forward);
const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const local = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,14}$/),
  fc.tuple(word, word).map(([a, b]) => `${a}.${b}`),
  fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`),
);
const sender = fc.tuple(local, word).map(([name, host]) => `${name}@${host}.test`);
const foreign = sender.filter((address) => !isSrs(address) && !/@(alias|other)\.test$/.test(address));

describe("SRS laws", () => {
  it("reverse undoes forward for every age up to the limit", () => {
    fc.assert(
      fc.property(foreign, fc.integer({ min: 0, max: 21 }), (address, days) => {
        const later = { ...context, now: new Date(context.now.getTime() + days * 86_400_000) };
        expect(srsReverse(srsForward(address, context), later)).toBe(address);
      }),
      { numRuns: 500 },
    );
  });

  it("forwarding an address that is already ours changes nothing", () => {
    fc.assert(
      fc.property(foreign, (address) => {
        const once = srsForward(address, context);
        expect(srsForward(once, context)).toBe(once);
      }),
    );
  });

  it("a bounce through a chain of forwarders reaches the first of them", () => {
    const at = (domain: string): SrsContext => ({
      ...context,
      domain,
      isOurDomain: (name) => name === domain,
      hashes: [keyed(domain)],
    });
    const first = srsForward("ann@ex.test", at("b.test"));
    const second = srsForward(first, at("c.test"));
    const third = srsForward(second, at("d.test"));
    expect(third).toMatch(/^SRS1=[a-z2-7]{8}=b\.test==/);
    expect(srsReverse(third, at("d.test"))).toBe(first);
    expect(srsReverse(second, at("c.test"))).toBe(first);
    expect(srsReverse(first, at("b.test"))).toBe("ann@ex.test");
  });

  it("an address with one changed character in the local part is rejected", () => {
    fc.assert(
      fc.property(foreign, fc.nat(), fc.constantFrom(..."abz27=."), (address, position, sign) => {
        const srs = srsForward(address, context);
        const [name = "", domain = ""] = [srs.slice(0, srs.lastIndexOf("@")), srs.slice(srs.lastIndexOf("@"))];
        const index = position % name.length;
        const changed = `${name.slice(0, index)}${sign}${name.slice(index + 1)}`;
        fc.pre(!name.startsWith('"') && index > 4 && changed.toLowerCase() !== name.toLowerCase());
        expect(srsReverse(`${changed}${domain}`, context)).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  it("a bound address is accepted in any letter case for its subject and for no other", () => {
    const hint = fc.stringMatching(/^[a-z2-7]{6}$/);
    const change = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toLowerCase(),
    );
    fc.assert(
      fc.property(foreign, fc.uuid(), fc.uuid(), hint, change, (address, id, otherId, found, changed) => {
        fc.pre(id !== otherId);
        const bound = readBoundSrs(changed(srsForward(address, context, { id, hint: found })), context);
        expect([bound?.sender, bound?.hint]).toEqual([changed(address), found]);
        expect([bound?.isBoundTo(id), bound?.isBoundTo(otherId)]).toEqual([true, false]);
      }),
      { numRuns: 500 },
    );
  });

  it("throws nothing but MailSyntaxError for any text", () => {
    const piece = fc.constantFrom(
      "SRS0",
      "SRS1",
      "=",
      "==",
      "+",
      "@",
      "alias.test",
      "AA",
      '"',
      "\\",
      "a",
      "\0",
      "\r\n",
      "ą",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(text, (address) => {
        for (const run of [srsForward, srsReverse, readBoundSrs]) {
          try {
            const result = run(address, context);
            if (run === srsForward && result !== address) expect(result).not.toMatch(/[\0\r\n]/);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(MailSyntaxError);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});
