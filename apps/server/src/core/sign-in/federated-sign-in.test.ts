import { expect, test } from "vitest";
import { type AccountDecision, decideAccount, type KnownAccounts } from "./federated-sign-in.ts";

const confirmedAt = new Date("2026-11-01T00:00:00Z");
const verified = { email: "ann@example.org", isEmailHosted: true };
const account = (change: Partial<NonNullable<KnownAccounts["byEmail"]>> = {}) => ({
  id: "by-email",
  emailConfirmedAt: confirmedAt,
  googleId: null,
  ...change,
});
const nobody: KnownAccounts = { bySubject: null, byEmail: null };

const table: [string, Parameters<typeof decideAccount>[0], KnownAccounts, AccountDecision][] = [
  [
    "the first sign-in creates an account",
    verified,
    nobody,
    { kind: "create", email: "ann@example.org", isConfirmed: true },
  ],
  [
    "a known subject signs in",
    verified,
    { ...nobody, bySubject: { id: "by-subject" } },
    { kind: "sign-in", userId: "by-subject" },
  ],
  [
    "a known subject signs in even without a verified address",
    { email: null, isEmailHosted: false },
    { ...nobody, bySubject: { id: "by-subject" } },
    { kind: "sign-in", userId: "by-subject" },
  ],
  [
    "a known subject signs in to its own account, not to another one that has its address",
    verified,
    { bySubject: { id: "by-subject" }, byEmail: account() },
    { kind: "sign-in", userId: "by-subject" },
  ],
  [
    "no account is created without a verified address",
    { email: null, isEmailHosted: false },
    nobody,
    { kind: "refuse", reason: "unverified" },
  ],
  [
    "an account that confirmed the address is linked",
    verified,
    { ...nobody, byEmail: account() },
    { kind: "link", userId: "by-email", email: "ann@example.org" },
  ],
  [
    "an account that has not confirmed the address is not linked",
    verified,
    { ...nobody, byEmail: account({ emailConfirmedAt: null }) },
    { kind: "refuse", reason: "exists" },
  ],
  [
    "an account of another subject is not linked, even if it confirmed the address",
    verified,
    { ...nobody, byEmail: account({ googleId: "another" }) },
    { kind: "refuse", reason: "taken" },
  ],
  [
    "an account whose owner removed Google is not linked, even if it confirmed the address",
    verified,
    { ...nobody, byEmail: account({ isGoogleRemoved: true }) },
    { kind: "refuse", reason: "taken" },
  ],
  [
    "an address that the issuer does not host links no account",
    { ...verified, isEmailHosted: false },
    { ...nobody, byEmail: account() },
    { kind: "refuse", reason: "taken" },
  ],
  [
    "an address that the issuer does not host creates an account with an unconfirmed address",
    { ...verified, isEmailHosted: false },
    nobody,
    { kind: "create", email: "ann@example.org", isConfirmed: false },
  ],
];

test.each(table)("%s", (_, person, known, decision) => {
  expect(decideAccount(person, known)).toEqual(decision);
});
