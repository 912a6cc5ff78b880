/** Decision table: what the newest ARC set must contain so that its sealer vouches for an author. */
import { describe, expect, it, test } from "vitest";
import { readSignatureField } from "../dkim/verify-signature.ts";
import { rawFields } from "../header/raw-fields.ts";
import { readArcChain, vouchedAuthor } from "./arc-chain.ts";
import { dmarcPassAuthor } from "./arc-results.ts";

const now = Date.UTC(2026, 0, 10);
const seconds = (days: number) => `t=${now / 1000 + days * 86_400}`;

interface SetTags {
  results?: string;
  message?: string;
  seal?: string;
  names?: string;
  domain?: string;
  date?: number;
}

function vouched({
  results,
  message = "",
  seal = seconds(0),
  names = "from:to",
  domain = "list.example",
  date = Number.NaN,
}: SetTags) {
  const fields = rawFields(
    [
      `ARC-Seal: i=1; cv=none; a=rsa-sha256; d=list.example; s=s1; ${seal}; b=`,
      `ARC-Message-Signature: i=1; a=rsa-sha256; d=${domain}; s=s2; h=${names}; ${message}; bh=; b=`,
      `ARC-Authentication-Results: i=1; ${results ?? "list.example; dmarc=pass header.from=a.example"}`,
    ].join("\r\n"),
  );
  const chain = readArcChain(fields);
  const set = chain !== null && "sets" in chain ? chain.sets[0] : undefined;
  const signature = set === undefined ? null : readSignatureField(set.message);
  return set === undefined || signature === null ? null : vouchedAuthor(set, { signature, date, now });
}

describe("the newest ARC set vouches", () => {
  it.each<[string, SetTags]>([
    ["with the time of the seal alone", {}],
    ["with the time of the message signature alone", { seal: "x=", message: seconds(0) }],
    ["with both times", { message: seconds(-6) }],
    ["at its end", { seal: seconds(-7) }],
    ["with a clock a little ahead", { seal: seconds(1 / 300) }],
    [
      "with the Date that its message signature covers, if it states no time",
      { seal: "x=", date: now - 6 * 86_400_000 },
    ],
    ["with a domain in another case", { domain: "LIST.example" }],
  ])("%s", (_, tags) => expect(vouched(tags)).toBe("a.example"));
});

describe("the newest ARC set does not vouch", () => {
  it.each<[string, SetTags]>([
    ["without a time", { seal: "x=" }],
    ["with a Date older than seven days alone", { seal: "x=", date: now - 8 * 86_400_000 }],
    ["with a Date of the day after tomorrow alone", { seal: "x=", date: now + 2 * 86_400_000 }],
    ["with a new Date and an old time", { seal: seconds(-8), date: now }],
    ["when it is older than seven days", { seal: seconds(-7.0001) }],
    ["when its message signature is older than seven days", { message: seconds(-7.0001) }],
    ["when it is from the future", { seal: seconds(1 / 200) }],
    ["when its message signature is from the future", { message: seconds(1) }],
    ["with a time that is no number", { seal: "t=soon" }],
    ["with an empty time", { seal: "t=" }],
    ["with a time in another notation", { seal: `t=0x${(now / 1000).toString(16)}` }],
    ["with a fraction of a time", { seal: `${seconds(0)}.5` }],
    ["with a time and a NUL", { seal: `${seconds(0)}\0` }],
    ["when From is not signed", { names: "to:subject" }],
    ["when a part of the body is signed", { message: "l=5" }],
    ["when its message signature is of another domain", { domain: "evil.example" }],
    ["when its message signature is of a subdomain", { domain: "sub.list.example" }],
    ["when it has no DMARC result", { results: "list.example; spf=pass" }],
  ])("%s", (_, tags) => expect(vouched(tags)).toBe(""));
});

test.each([
  ["mx; dmarc=pass header.from=A.Example", "a.example"],
  ['mx; spf=pass (x; dmarc=fail); dmarc=pass (p=none) policy.x="a;b" header.from="a.example"', "a.example"],
  ["mx; dmarc=pass header.from=b\u{fc}cher.example; dkim=fail", "xn--bcher-kva.example"],
  ["mx; dmarc=fail header.from=a.example", ""],
  ["mx; dmarc=pass", ""],
  ["mx; dmarc=PASS header.from=a.example", ""],
  ["mx; dmarc=passed header.from=a.example", ""],
  ['mx; dmarc="pass" header.from=a.example', ""],
  ["mx; dmarc=fail result=pass header.from=a.example", ""],
  ["mx; dmarc=pass header.from=b.example header.from=a.example", ""],
  ["mx; dmarc=pass header.from=b.example HEADER.FROM=a.example", ""],
  ["mx; dmarc=pass header.from=a.example; dmarc=pass header.from=a.example", ""],
  ["mx; dmarc=fail header.from=b.example; dmarc=pass header.from=a.example", ""],
  ["mx; dmarc/1=fail header.from=b.example; dmarc=pass header.from=a.example", ""],
  ["mx; DMARC=pass header.from=b.example; dmarc=pass header.from=a.example", ""],
  ['mx; dmarc=pass reason="x header.from=a.example"', ""],
  ["mx; dmarc=pass (header.from=a.example)", ""],
  ["mx; dmarc=pass header.from=ann@a.example", ""],
  ["mx; dmarc=pass header.from=a.example\0.evil.example", ""],
  ["mx; spf=pass header.from=a.example; dmarc=pass", ""],
  ["", ""],
])("the author of %j is %j", (value, author) => expect(dmarcPassAuthor(value)).toBe(author));
