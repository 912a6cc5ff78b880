import { expect, test } from "vitest";
import { limitsInForce } from "./limits-text.ts";

const saysOf = (name: string, limits: ReturnType<typeof limitsInForce>) =>
  limits.find((one) => one.name.startsWith(name))?.says;

test("limits are told in sentences without markup, and each one is named once", () => {
  const limits = limitsInForce(new Map());
  expect(limits.length).toBeGreaterThan(100);
  expect(new Set(limits.map(({ name }) => name)).size).toBe(limits.length);
  for (const { name, says } of limits) expect(`${name} ${says}`).not.toMatch(/[`{}|]|\]\(/);
  expect(saysOf("SMTP clients that were turned away", limits)).toBe("256; counted by all");
  expect(saysOf("submission connections of an account", limits)).toBe(
    "50 at a listener; counted by account; of one party: the account",
  );
});

test("limits that the operator changed are told as changed", () => {
  const changes = new Map([
    ["mail_alias", { max: 7, windowSeconds: 60 }],
    ["login_account", { max: 3, windowSeconds: 120 }],
  ]);
  const before = limitsInForce(new Map());
  const after = limitsInForce(changes);
  expect(saysOf("mail to an alias", before)).toContain("mail_alias 600 an hour");
  expect(saysOf("mail to an alias", after)).toContain("mail_alias 7 a minute");
  const changed = after.filter(({ says }, at) => says !== before[at]?.says).map(({ name }) => name);
  expect(changed).toEqual([expect.stringMatching(/^mail to an alias/), "sign-ins to one account from one network"]);
});

test("without limits one line says so", () => {
  expect(limitsInForce("off")).toEqual([{ name: "KAUKE_LIMITS", says: expect.stringMatching(/^off: /) }]);
});
