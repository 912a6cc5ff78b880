import { describe, expect, test } from "vitest";
import { readInstruction } from "./author.ts";
import type { SignatureFound } from "./check-signatures.ts";
import type { SpfFound } from "./check-spf.ts";

type Result = SpfFound["result"];
const shown = { domain: "a.example", fromFields: 1, recipientFields: 1, isPlain: true, isSingle: true };
const spf = (result: Result, domain = "a.example"): SpfFound => ({ result, domain, sender: "", helo: "" });
const proof = { id: "id", endsAt: new Date(0) };
const dkim = (result: Result, domain = "a.example", isWhole = true): SignatureFound => ({
  result,
  domain,
  selector: "s",
  algorithm: "",
  signature: "",
  comment: "",
  ...((result === "pass" || result === "temperror") && isWhole ? { instruction: proof } : {}),
});

/** Strict alignment without look-ups. */
const judge = async ({ spf: one, dkim: other }: { spf: readonly string[]; dkim: readonly string[] }) => ({
  result: "none" as const,
  isProven: [...one, ...other].includes("a.example"),
  applied: null,
});

const read = (found: { spf: SpfFound | null; dkim: SignatureFound[] | null }, isPlain = true) =>
  readInstruction({ ...found, shown: { ...shown, isPlain }, isUnfinished: false }, judge);

describe("the author sent the message to this envelope", () => {
  test.each([
    ["if SPF passes for the author's domain", spf("pass"), [], true, 0, false],
    ["not if SPF passes for another domain", spf("pass", "b.example"), [], false, 0, false],
    ["not if SPF fails", spf("fail"), [], false, 0, false],
    ["by an aligned signature over the recipients", spf("fail"), [dkim("pass")], false, 1, false],
    ["not by a signature that leaves out recipients", spf("none"), [dkim("pass", "a.example", false)], false, 0, false],
    ["not by another domain's signature", spf("none"), [dkim("pass", "b.example")], false, 0, false],
    ["unknown while SPF is late", spf("temperror"), [dkim("pass", "a.example", false)], false, 0, true],
    ["unknown while SPF could not be checked", null, [], false, 0, true],
    ["unknown while the key of a signature is late", spf("fail"), [dkim("temperror")], false, 0, true],
    ["known while another domain's SPF is late", spf("temperror", "b.example"), [], false, 0, false],
  ] as const)("%s", async (_, foundSpf, foundDkim, isByEnvelope, count, isUnfinished) => {
    const found = await read({ spf: foundSpf, dkim: [...foundDkim] });
    expect({ ...found, signatures: found.signatures.length }).toMatchObject({
      isByEnvelope,
      signatures: count,
      isUnfinished,
    });
  });

  test("and a signature whose key is late may prove the same later", async () => {
    const found = await read({ spf: spf("pass"), dkim: [dkim("temperror"), dkim("temperror", "b.example")] });
    expect(found).toEqual({ isByEnvelope: true, signatures: [], unread: [proof], isUnfinished: false });
  });

  test("not if programs show different authors", async () => {
    const found = await read({ spf: spf("pass"), dkim: [dkim("pass")] }, false);
    expect(found).toEqual({ isByEnvelope: false, signatures: [], unread: [], isUnfinished: false });
  });
});
