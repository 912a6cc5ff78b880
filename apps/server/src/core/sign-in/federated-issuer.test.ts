import { expect, test } from "vitest";
import { googleIssuer, readClaims } from "./federated-issuer.ts";

const issuer = "https://issuer.example";
const whole = {
  sub: "10769150350006150715113082367",
  email: "Ann@Example.org",
  email_verified: true,
  given_name: "Ann",
  family_name: "Petraitė",
  picture: "https://pictures.example/ann.png",
};

test("a complete set of claims is read", () => {
  expect(readClaims(issuer, whole)).toEqual({
    issuer,
    subject: whole.sub,
    email: whole.email,
    isEmailHosted: false,
    firstName: "Ann",
    lastName: "Petraitė",
    profileImageUrl: whole.picture,
  });
});

test("the subject is the only required claim", () => {
  const nothing = { email: null, isEmailHosted: false, firstName: null, lastName: null, profileImageUrl: null };
  expect(readClaims(issuer, { sub: "1" })).toEqual({ issuer, subject: "1", ...nothing });
});

test.each([[undefined], [""], [7], ["x".repeat(256)], ["ąžuolas"], ["a\nb"]])("%j is not a valid subject", (sub) => {
  expect(readClaims(issuer, { ...whole, sub })).toBeNull();
});

test.each([[undefined], [false], ["true"], [1], [null]])("an address with email_verified %j is ignored", (verified) => {
  expect(readClaims(issuer, { ...whole, email_verified: verified })).toMatchObject({
    email: null,
    isEmailHosted: false,
  });
});

test.each([["no address"], ["ann@localhost"], [`${"x".repeat(250)}@example.org`], [7], [""]])(
  "%j is not a valid address",
  (email) => {
    expect(readClaims(issuer, { ...whole, email })?.email).toBeNull();
  },
);

test("names are cut to a hundred characters, without invisible ones", () => {
  const claims = { ...whole, given_name: "🦭".repeat(200), family_name: "\u202eLu\u0000kas\n " };
  expect(readClaims(issuer, claims)).toMatchObject({ firstName: "🦭".repeat(100), lastName: "Lu kas" });
  expect(readClaims(issuer, { ...whole, given_name: " \u0000 ", family_name: {} })).toMatchObject({
    firstName: null,
    lastName: null,
  });
});

test.each([
  ["http://pictures.example/ann.png"],
  ["javascript:alert(1)"],
  ["https://ann:secret@pictures.example/"],
  [`https://pictures.example/${"x".repeat(2048)}`],
  ["picture"],
  [null],
])("%s is not accepted as a picture", (picture) => {
  expect(readClaims(issuer, { ...whole, picture })?.profileImageUrl).toBeNull();
});

test.each([
  ["ann@gmail.com", undefined, true],
  ["ann@GoogleMail.com", undefined, true],
  ["ann@firm.example", "firm.example", true],
  ["ann@firm.example", undefined, false],
  ["ann@firm.example", "", false],
  ["gmail.com@firm.example", undefined, false],
  ["ann@FIRM.example", "Firm.Example", true],
  ["ann@įmonė.example", "xn--mon-mra0j.example", true],
  ["ann@firm.example", "other.example", false],
  ["ann@sub.firm.example", "firm.example", false],
  ["ann@firm.example", "firm.example ", true],
  ["ann@firm.example", ["firm.example"], false],
])("Google hosts %s with hd %s: %s", (email, hd, hosted) => {
  expect(readClaims(googleIssuer, { ...whole, email, hd })?.isEmailHosted).toBe(hosted);
});

test.each([
  ["ann@firm.example", "firm.example", true],
  ["ann@firm.example", undefined, false],
  ["ann@gmail.com", undefined, false],
])("another issuer hosts %s with hd %s: %s", (email, hd, hosted) => {
  expect(readClaims(issuer, { ...whole, email, hd })?.isEmailHosted).toBe(hosted);
});
