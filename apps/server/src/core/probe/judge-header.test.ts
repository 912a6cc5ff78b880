import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeHeader } from "./judge-header.ts";

const domain = "kauke.test";
const pass = { spf: "pass", dkim: "pass", dmarc: "pass" };
const lines = (...all: readonly string[]) => all.join("\r\n");

/** Written after the documentation of each format; the names and numbers are made up. */
const samples = {
  gmail: lines(
    "Delivered-To: ann@host.example",
    "Received: by 2002:a05:6402:1f06:b0:000:0000:0000 with SMTP id b6; Fri, 27 Nov 2026 10:00:00 -0800 (PST)",
    "X-Received: by 2002:a17:907:9496:b0 with SMTP id dm22; Fri, 27 Nov 2026 10:00:00 -0800 (PST)",
    "ARC-Authentication-Results: i=1; mx.host.example;",
    "       dkim=fail header.i=@kauke.test header.s=k1;",
    "       spf=fail smtp.mailfrom=probe-aaaa-bbbb-cccc@kauke.test",
    "Return-Path: <probe-aaaa-bbbb-cccc@kauke.test>",
    "Received-SPF: pass (host.example: domain of probe-aaaa-bbbb-cccc@kauke.test designates 192.0.2.1 as permitted sender) client-ip=192.0.2.1;",
    "Authentication-Results: mx.host.example;",
    '       dkim=pass header.i=@kauke.test header.s=k1 header.b="Ab/cd+ef";',
    "       dkim=neutral (no key) header.i=@kauke.test header.s=k2;",
    "       spf=pass (host.example: domain of probe-aaaa-bbbb-cccc@kauke.test designates 192.0.2.1 as permitted sender) smtp.mailfrom=probe-aaaa-bbbb-cccc@kauke.test;",
    "       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=kauke.test",
    "From: Kauke <probe-aaaa-bbbb-cccc@kauke.test>",
    "",
    "body",
  ),
  microsoft: lines(
    "Received: from AM0PR01.prod.host.example (2603::1) by DB9PR01.prod.host.example (2603::2) with HTTPS; Fri, 27 Nov 2026 18:00:00 +0000",
    "Authentication-Results: spf=pass (sender IP is 192.0.2.1)",
    " smtp.mailfrom=kauke.test; dkim=pass (signature was verified)",
    " header.d=kauke.test;dmarc=pass action=none",
    " header.from=kauke.test;compauth=pass reason=100",
    "Received-SPF: Pass (protection.host.example: domain of kauke.test designates 192.0.2.1 as permitted sender)",
    "From: Kauke <probe-aaaa-bbbb-cccc@kauke.test>",
    "X-Forefront-Antispam-Report: CIP:192.0.2.1;CTRY:DE;LANG:en;SCL:1;SRV:;IPV:NLI;SFV:NSPM;H:mail.kauke.test;PTR:mail.kauke.test;CAT:NONE;SFS:(13230040);DIR:INB;",
    "X-MS-Exchange-Organization-SCL: 1",
  ),
  fastmail: lines(
    "X-Spam-score: 0.0",
    "X-Spam-source: IP='192.0.2.1', Host='mail.kauke.test', Country='DE', FromHeader='test', MailFrom='test'",
    "X-Spam-known-sender: no",
    "Received: from mailmx.host.example ([10.0.0.1]) by compute.host.example (LMTPProxy); Fri, 27 Nov 2026 13:00:00 -0500",
    "Authentication-Results: mx1.host.example; x-csa=none; x-me-sender=none; x-ptr=pass smtp.helo=mail.kauke.test policy.ptr=mail.kauke.test",
    "Authentication-Results: mx1.host.example; bimi=skipped (DMARC Policy is not at enforcement)",
    "Authentication-Results: mx1.host.example; arc=none (no signatures found)",
    "Authentication-Results: mx1.host.example; dkim=pass (2048-bit rsa key sha256) header.d=kauke.test header.i=@kauke.test header.b=AbCdEf12 header.a=rsa-sha256 header.s=k1;",
    "    dmarc=pass policy.published-domain-policy=reject policy.applied-disposition=none policy.evaluated-disposition=none (p=reject,d=none,d.eval=none) policy.policy-from=p header.from=kauke.test;",
    "    iprev=pass smtp.remote-ip=192.0.2.1 (mail.kauke.test); spf=pass smtp.mailfrom=probe-aaaa-bbbb-cccc@kauke.test smtp.helo=mail.kauke.test",
    "From: Kauke <probe-aaaa-bbbb-cccc@kauke.test>",
  ),
};

describe("a copied header", () => {
  it.each(Object.entries(samples))("of a host that writes as %s does", (_, text) => {
    expect(judgeHeader(text, domain)).toEqual({ ours: pass, inSpam: null });
  });

  it.each([
    ["with LF line ends", (text: string) => text.replaceAll("\r\n", "\n")],
    ["quoted in a reply", (text: string) => lines(...text.split("\r\n").map((line) => `> > ${line}`))],
    ["whose folds lost their indentation", (text: string) => text.replace(/^[ \t]+/gm, "")],
    ["below a sentence and a blank line", (text: string) => `Here it is:\r\n\r\n${text}`],
    ["right below a sentence", (text: string) => `Here it is\r\n${text}`],
  ])("is read %s", (_, change) => {
    for (const text of Object.values(samples)) expect(judgeHeader(change(text), domain).ours).toEqual(pass);
  });

  const judged = (...all: readonly string[]) => judgeHeader(lines(...all), domain).ours;

  it("the topmost results are the host's own; those of hosts before it do not count", () => {
    const results = [
      "Authentication-Results: mx.host.example; spf=softfail smtp.mailfrom=kauke.test; dkim=permerror header.d=kauke.test",
      "Authentication-Results: relay.example; spf=pass; dkim=pass header.d=kauke.test; dmarc=pass",
    ];
    expect(judged(...results)).toEqual({ spf: "fail", dkim: "fail", dmarc: "unknown" });
  });

  it("a signature of another domain proves nothing of ours", () => {
    expect(
      judged("Authentication-Results: mx.host.example; dkim=pass header.d=relay.example; spf=neutral; dmarc=temperror"),
    ).toEqual({
      spf: "none",
      dkim: "none",
      dmarc: "unknown",
    });
    expect(judged("Authentication-Results: mx.host.example; dkim=none")?.dkim).toBe("none");
  });

  it("text in comments and quotes is no result", () => {
    const text =
      'Authentication-Results: mx.host.example; spf=fail (spf=pass; dkim=pass header.d=kauke.test) x="; dmarc=pass"';
    expect(judged(text)).toEqual({ spf: "fail", dkim: "unknown", dmarc: "unknown" });
  });

  it("Received-SPF stands in for a missing SPF result", () => {
    expect(judged("Received-SPF: Pass (x)", "Subject: y")).toEqual({ spf: "pass", dkim: "unknown", dmarc: "unknown" });
  });

  it.each([
    ["of another domain's message", lines("From: x@other.example", "Authentication-Results: mx; spf=pass; dkim=pass")],
    ["without results", "Subject: hi\r\nFrom: probe@kauke.test\r\n"],
    ["with no result", "Authentication-Results: mx.host.example; none"],
    ["that is none", "Authentication-Results are missing.\nSorry: none."],
    ["that is empty", ""],
  ])("%s says nothing", (_, text) => {
    expect(judgeHeader(text, domain).ours).toBeNull();
  });

  it.each([
    ["X-Spam-Flag: YES", true],
    ["X-Spam-Flag: NO", null],
    ["X-Spam-Status: Yes, score=7.1 required=5.0 tests=BAYES_99", true],
    ["X-Spam-Status: No, score=-1.9", null],
    ["X-Forefront-Antispam-Report: CIP:192.0.2.1;SCL:5;SFV:SPM;CAT:SPM", true],
    ["X-Forefront-Antispam-Report: CIP:192.0.2.1;SCL:9;CAT:HSPM", true],
    ["X-Forefront-Antispam-Report: CIP:192.0.2.1;SCL:-1;SFV:NSPM", null],
    ["X-MS-Exchange-Organization-SCL: 6", true],
    ["X-MS-Exchange-Organization-SCL: 1", null],
  ])("%s", (field, inSpam) => {
    expect(judgeHeader(`${field}\r\nSubject: x`, domain).inSpam).toBe(inSpam);
  });
});

it("any results that a host states are read as it states them, whatever stands around them", () => {
  const stated = fc.constantFrom("pass", "fail", "none", "softfail", "neutral", "temperror", "permerror", "odd");
  const words: Record<string, string> = {
    pass: "pass",
    fail: "fail",
    softfail: "fail",
    permerror: "fail",
    none: "none",
    neutral: "none",
  };
  const noise = fc.constantFrom("", "x-ptr=pass smtp.helo=h; ", "(a; spf=pass (b)) ", "iprev=fail; ", 'auth="a;b=c"; ');
  const property = fc.property(stated, stated, stated, noise, fc.boolean(), (spf, dkim, dmarc, junk, isFolded) => {
    const gap = isFolded ? "\r\n\t" : " ";
    const text = `Authentication-Results: mx.h.example;${gap}${junk}dkim=${dkim}${gap}header.d=kauke.test;${gap}spf=${spf};${gap}dmarc=${dmarc}\r\n`;
    const expected = { spf: words[spf] ?? "unknown", dkim: words[dkim] ?? "unknown", dmarc: words[dmarc] ?? "unknown" };
    const { ours } = judgeHeader(text, domain);
    expect(ours ?? { spf: "unknown", dkim: "unknown", dmarc: "unknown" }).toEqual(expected);
  });
  fc.assert(property);
});

it("hostile headers cost little time", () => {
  const bombs = [
    `Authentication-Results: ${"(".repeat(200_000)}`,
    `Authentication-Results: mx; ${'"'.repeat(200_000)}`,
    `Authentication-Results: mx; ${"dkim=pass header.d=kauke.test; ".repeat(10_000)}`,
    "Authentication-Results: mx; spf=pass\r\n".repeat(10_000),
    `Authentication-Results:${"\r\n x".repeat(60_000)}`,
    "> ".repeat(100_000),
    "a:\r\n\r\n".repeat(30_000),
    `X-Forefront-Antispam-Report: ${"SCL:".repeat(50_000)}`,
    "\r".repeat(200_000),
  ];
  const startedAt = performance.now();
  for (const bomb of bombs) judgeHeader(bomb, domain);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
