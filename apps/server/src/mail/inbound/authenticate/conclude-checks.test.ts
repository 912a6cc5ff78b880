/** Decision table: DMARC policy, what was proven and what could not be determined lead to a result and a reply. */
import { describe, expect, test } from "vitest";
import { type ChecksFound, conclude } from "./conclude-checks.ts";

const rules = { mailHost: "mx.test", trustedArcSigners: new Set(["list.example"]) };
const spf = { result: "fail", domain: "bank.example", sender: "a@bank.example", helo: "c.example" } as const;
const failed = { result: "fail", isProven: false, applied: "reject" } as const;
const arc = (
  result: "pass" | "fail" | "temperror" | "none",
  sealer = "list.example",
  vouchedAuthor = "bank.example",
) => ({
  result,
  comment: "",
  sealer,
  vouchedAuthor,
});

const checks = (change: Partial<ChecksFound>): ChecksFound => ({
  author: "bank.example",
  isAuthorPlain: true,
  policy: "reject",
  spf,
  dkim: [],
  arc: arc("none", ""),
  verdict: failed,
  couldBeProven: false,
  wasCut: false,
  ...change,
});
const proven = { result: "pass", isProven: true, applied: null } as const;
const none = { result: "none", isProven: false, applied: null } as const;
const quarantined = { result: "fail", isProven: false, applied: "quarantine" } as const;

describe.each<[string, Partial<ChecksFound>, string | null, string]>([
  ["reject, all checks failed", {}, "dmarc_reject", "fail"],
  ["reject, an author that programs read differently", { isAuthorPlain: false }, "author_unreadable", "fail"],
  ["reject, a check ran out of time", { wasCut: true }, "proof_unfinished", "fail"],
  ["reject, a check that could prove it did not end", { couldBeProven: true }, "proof_unfinished", "temperror"],
  [
    "reject, an alignment could not be looked up",
    { verdict: { ...failed, result: "temperror" } },
    "proof_unfinished",
    "temperror",
  ],
  ["reject, proven, whatever else is late", { verdict: proven, wasCut: true }, null, "pass"],
  ["reject, explained by a seal we trust", { arc: arc("pass") }, null, "fail"],
  [
    "reject, a seal over another author",
    { arc: arc("pass", "list.example", "sub.bank.example") },
    "dmarc_reject",
    "fail",
  ],
  ["reject, a seal that says nothing", { arc: arc("pass", "list.example", "") }, "dmarc_reject", "fail"],
  [
    "reject, no author, and a seal that says nothing",
    { author: "", arc: arc("pass", "list.example", "") },
    "dmarc_reject",
    "fail",
  ],
  ["reject, a broken chain of a trusted sealer", { arc: arc("fail") }, "dmarc_reject", "fail"],
  ["reject, a seal of somebody else", { arc: arc("pass", "evil.example") }, "dmarc_reject", "fail"],
  ["reject, a trusted seal whose key is missing now", { arc: arc("temperror") }, "proof_unfinished", "fail"],
  [
    "reject, a trusted seal over another author whose key is missing now",
    { arc: arc("temperror", "list.example", "") },
    "dmarc_reject",
    "fail",
  ],
  ["quarantine, all checks failed", { policy: "quarantine", verdict: quarantined }, null, "fail"],
  ["quarantine, a check ran out of time", { policy: "quarantine", verdict: quarantined, wasCut: true }, null, "fail"],
  [
    "quarantine, a check that could prove it did not end",
    { policy: "quarantine", verdict: quarantined, couldBeProven: true },
    null,
    "temperror",
  ],
  ["no policy, a check ran out of time", { policy: "none", verdict: none, wasCut: true }, null, "none"],
  [
    "a policy that can't be read",
    { policy: "unknown", verdict: { ...none, result: "temperror" } },
    "proof_unfinished",
    "temperror",
  ],
  [
    "a policy that can't be read, though nothing is left to prove",
    { policy: "unknown", verdict: none },
    "proof_unfinished",
    "temperror",
  ],
  ["checks that broke", { spf: null, dkim: null, arc: null, couldBeProven: true }, "proof_unfinished", "temperror"],
])("%s", (_, change, refusal, dmarc) => {
  test(`is answered ${refusal ?? "with 250"}, dmarc=${dmarc}`, () => {
    const done = conclude(checks(change), rules);
    expect([done.refusal, done.found.dmarc]).toEqual([refusal, dmarc]);
    expect(done.found.isAligned).toBe(change.verdict === proven);
    expect(done.found.results).toContain(`dmarc=${dmarc}`);
    if (refusal === "proof_unfinished") expect(done.isUnfinished).toBe(true);
  });
});

test("Authentication-Results contain nothing from the sender except tokens", () => {
  const evil = "x\r\nBcc: y";
  const signature = {
    result: "fail",
    domain: evil,
    selector: evil,
    algorithm: "rsa-sha256",
    signature: evil,
    comment: evil,
  } as const;
  const found = checks({ dkim: [signature], spf: { ...spf, sender: `"${evil}"@evil.example`, helo: evil } });
  expect(conclude(found, rules).found.results).toBe(
    "mx.test; dkim=fail header.a=rsa-sha256; spf=fail; dmarc=fail policy.dmarc=reject header.from=bank.example",
  );
});
