/** Checks published signatures (RFC 6376 appendix A, RFC 8463 appendix A) and those of our own signer. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { readHeader } from "../header/headers.ts";
import { rawFields } from "../header/raw-fields.ts";
import { canonicalBody } from "./dkim-body.ts";
import { simpleBodyHash } from "./dkim-canonical.ts";
import { type DkimKey, dkimSign } from "./dkim-sign.ts";
import { publicDkimKey } from "./dns-records.ts";
import { readKeyRecord } from "./key-record.ts";
import { checkBeforeKey, checkWithKey, type KeyLookup, readSignatureField } from "./verify-signature.ts";

const crlf = (text: string) => text.replaceAll("\n", "\r\n");

// Appendix A.2 of RFC 6376 with the key of its appendix C.
const brisbane =
  "v=DKIM1; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v3b4j" +
  "YfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB";
const body = crlf("Hi.\n\nWe lost the game. Are you hungry yet?\n\nJoe.\n");
const rfc6376 = crlf(`DKIM-Signature: v=1; a=rsa-sha256; s=brisbane; d=example.com;
      c=simple/simple; q=dns/txt; i=joe@football.example.com;
      h=Received : From : To : Subject : Date : Message-ID;
      bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
      b=AuUoFEfDxTDkHlLXSZEpZj79LICEps6eda7W3deTVFOk4yAUoqOB
      4nujc7YopdG5dWLSdNg6xNAZpOPr+kHxt1IrE+NahM6L/LbvaHut
      KVdkLLkpVaVVQPzeRDI009SO2Il5Lu7rDNH6mZckBdrIx0orEtZV
      4bmp/YzhwvcubU4=;
Received: from client1.football.example.com  [192.0.2.1]
      by submitserver.example.com with SUBMISSION;
      Fri, 11 Jul 2003 21:01:54 -0700 (PDT)
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

`);

// Appendix A of RFC 8463.
const football = "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
const rfc8463 = crlf(`DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=brisbane; t=1528637909; h=from : to :
 subject : date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
 Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

`);

const now = Date.UTC(2026, 0, 1);

/** Checks the first signature of a message as a verifier does. */
function check(header: string, content: string, found: KeyLookup, at = now) {
  const fields = rawFields(header);
  const signature = readSignatureField(fields[0] ?? { name: "", text: "" });
  if (signature === null) return null;
  const hash = createHash(signature.algorithm.split("-")[1] ?? "");
  for (const piece of canonicalBody(Buffer.from(content), signature.bodyForm)) hash.update(piece);
  return checkBeforeKey(signature, hash.digest("base64")) ?? checkWithKey(signature, { fields, found, now: at });
}

const passed = { result: "pass", reason: "" };

describe.each([
  ["RFC 6376", rfc6376, brisbane],
  ["RFC 8463", rfc8463, football],
])("the example of %s", (_, header, record) => {
  const key = readKeyRecord(record);

  it("passes", () => {
    expect(check(header, body, key)).toEqual(passed);
  });

  it("fails after a change of its header or body, and without From among the signed fields", () => {
    expect(check(header.replace("dinner", "supper"), body, key)).toMatchObject({ result: "fail" });
    expect(check(header, body.replace("hungry", "Hungry"), key)?.reason).toBe("body hash did not verify");
    expect(check(header.replace(/h=[^;]*;/, "h=to;"), body, key)?.reason).toBe("From field not signed");
  });

  it("is undecided when the key can't be looked up, and says so when there is none", () => {
    expect(check(header, body, { failed: "ESERVFAIL" })).toEqual({
      result: "temperror",
      reason: "DNS failure: ESERVFAIL",
    });
    expect(check(header, body, null)).toEqual({ result: "neutral", reason: "no key" });
  });
});

test("a key of the other kind is not used, though OpenSSL would check with it", () => {
  expect(check(rfc8463, body, readKeyRecord(brisbane))?.reason).toBe("inappropriate key algorithm");
  expect(check(rfc6376, body, readKeyRecord(football))?.reason).toBe("inappropriate key algorithm");
});

const message = crlf("From: Ann <ann@a.example>\nTo: b@b.example\nSubject: x\nSubject: y\nX-Other:  z\n\n");
const keys: DkimKey[] = [
  {
    domain: "a.example",
    selector: "r",
    algorithm: "rsa-sha256",
    ...generateKeyPairSync("rsa", { modulusLength: 2048 }),
  },
  { domain: "a.example", selector: "e", algorithm: "ed25519-sha256", ...generateKeyPairSync("ed25519") },
];

describe.each(keys)("our own signature with $algorithm", (key) => {
  const sign = async (signedAt: Date) => {
    const header = Buffer.from(message);
    const source = { header, fields: readHeader(header).fields, bodyHash: simpleBodyHash(Buffer.from(body)), signedAt };
    return `${await dkimSign(source, [key])}${message}`;
  };
  const record = readKeyRecord(publicDkimKey(key).text);

  it("passes, also after a field is added that it does not sign", async () => {
    const signed = await sign(new Date(now));
    expect(check(signed, body, record)).toEqual(passed);
    expect(check(signed.replace("X-Other", "X-More: a\r\nX-Other"), body, record)).toEqual(passed);
  });

  it("fails after a second From or another order of fields with one name", async () => {
    const signed = await sign(new Date(now));
    expect(check(signed.replace("To:", "From: c@c.example\r\nTo:"), body, record)?.result).toBe("fail");
    const swapped = signed.replace("Subject: x\r\nSubject: y", "Subject: y\r\nSubject: x");
    expect(check(swapped, body, record)?.result).toBe("fail");
  });
});

describe("a signature that is not considered although it may match", () => {
  const reasonOf = (change: (text: string) => string) => {
    const found = check(change(rfc8463), body, readKeyRecord(football));
    return found && [found.result, found.reason];
  };

  it.each<[string, (text: string) => string, string[] | null]>([
    [
      "rsa-sha1",
      (text) => text.replace("ed25519-sha256", "rsa-sha1").replace(/bh=[^;]*/, `bh=${sha1}`),
      ["policy", "weak algorithm"],
    ],
    ["an unknown algorithm", (text) => text.replace("ed25519-sha256", "rsa-md5"), null],
    ["an algorithm with white space", (text) => text.replace("ed25519-sha256", "ed25519 -sha256"), null],
    ["an unknown canonicalization", (text) => text.replace("relaxed/relaxed", "odd/relaxed"), null],
    ["no domain", (text) => text.replace("d=football.example.com;", ""), null],
    ["no selector", (text) => text.replace("s=brisbane;", ""), null],
  ])("%s", (_, change, expected) => {
    expect(reasonOf(change)).toEqual(expected);
  });

  const sha1 = createHash("sha1").update(body).digest("base64");

  it("one that has expired, or ends before it begins", () => {
    const dated = (times: string) => {
      const fields = rawFields(rfc8463);
      const signature = readSignatureField({ name: "", text: (fields[0]?.text ?? "").replace("q=dns/txt", times) });
      return signature && [signature.signedAt, signature.expiresAt];
    };
    expect(dated("x=1528637910")).toEqual([1_528_637_909_000, 1_528_637_910_000]);
    expect(dated("x=99999999999999999999")).toEqual([1_528_637_909_000, Number.NaN]);
    expect(dated("x=soon")).toEqual([1_528_637_909_000, Number.NaN]);
  });
});

describe("the syntax of a signature", () => {
  const problemOf = (list: string) =>
    readSignatureField({ name: "dkim-signature", text: `DKIM-Signature:${list}` })?.problem;
  const tags = " v=1; a=rsa-sha256; d=a.example; s=s1; h=from; bh=AA; b=AA";

  it.each([
    tags,
    `${tags};`,
    `${tags};\r\n\t`,
    tags.replaceAll("; ", " ;\r\n\t").replaceAll("=", " = "),
    `${tags}; t=1700000000; x=1700000001; l=12; q=dns/txt; z=From:a@b|To:c; i=ann@mail.a.example`,
    `${tags}; future_tag2=anything`,
  ])("is in order: %j", (list) => expect(problemOf(list)).toBeNull());

  it.each([
    [tags.replace("v=1;", ""), "incompatible version"],
    [tags.replace("v=1", "v=2"), "incompatible version"],
    [tags.replace("v=1", "v="), "incompatible version"],
    [tags.replace("v=1", "v=1\u{a0}"), "incompatible version"],
    [tags.replace("v=1", "V=1"), "signature syntax error"],
    [`${tags}; t=soon`, "signature syntax error"],
    [`${tags}; t=0x10`, "signature syntax error"],
    [`${tags}; t=1700000000000`, "signature syntax error"],
    [`${tags}; x=`, "signature syntax error"],
    [`${tags}; x=1e12`, "signature syntax error"],
    [`${tags}; x=9999999999\0`, "signature syntax error"],
    [`${tags}; l=-1`, "signature syntax error"],
    [`${tags}; l=1.5`, "signature syntax error"],
    [`${tags}; d=a.example`, "signature syntax error"],
    [`${tags}; D=a.example`, "signature syntax error"],
    [`${tags};; z=a`, "signature syntax error"],
    [`${tags}; z`, "signature syntax error"],
    [`${tags}; =z`, "signature syntax error"],
    [`${tags}; q=dns`, "unsupported query method"],
    [`${tags}; i=a.example`, "domain mismatch"],
    [`${tags}; i=ann@b.example`, "domain mismatch"],
    [`${tags}; i=a b@a.example`, "domain mismatch"],
    [`${tags}; i="a b"@xa.example`, "domain mismatch"],
    [`${tags}; i=@su_b.a.example`, "domain mismatch"],
    [`${tags}; i=@-sub.a.example`, "domain mismatch"],
    [`${tags}; i=@sub-.a.example`, "domain mismatch"],
  ])("is not in order: %j, %s", (list, problem) => expect(problemOf(list)).toBe(problem));
});

test("a signature may be from a clock that is some hours ahead, but not from next week", () => {
  const signature = readSignatureField(rawFields(rfc8463)[0] ?? { name: "", text: "" });
  const at = (hours: number) => (signature?.signedAt ?? 0) - hours * 3_600_000;
  expect(check(rfc8463, body, readKeyRecord(football), at(9))?.result).toBe("pass");
  expect(check(rfc8463, body, readKeyRecord(football), at(11))).toEqual({
    result: "neutral",
    reason: "signed in the future",
  });
});
