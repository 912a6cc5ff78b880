import { expect, test } from "vitest";
import { arcSigning } from "./message-signer.ts";

const providers = new Map([
  ["corp.example", "google.com"],
  ["firm.example", "outlook.com"],
  ["club.example", "mail.example"],
]);
const providerOf = (domain: string) => providers.get(domain) ?? domain;

test("without a chain, only copies for providers known to use ARC are sealed, by mail host or by mailbox", () => {
  const signsArcFor = arcSigning("on", providerOf);
  const sealed = (address: string) => signsArcFor(address, "none");
  expect(["a@corp.example", "a@firm.example", "a@gmail.com", "A@Outlook.COM", "a@icloud.com"].map(sealed)).toEqual(
    Array(5).fill(true),
  );
  expect(["a@club.example", "a@unknown.example", "a@gmail.com.example", "a@notgmail.com"].map(sealed)).toEqual(
    Array(4).fill(false),
  );
});

test("a chain that arrived is continued for every mailbox, whether it was valid or not", () => {
  const signsArcFor = arcSigning("on", providerOf);
  expect(signsArcFor("a@unknown.example", "pass")).toBe(true);
  expect(signsArcFor("a@unknown.example", "fail")).toBe(true);
});

test("the setting seals nothing or everything", () => {
  expect(arcSigning("off", providerOf)("a@gmail.com", "pass")).toBe(false);
  expect(arcSigning("always", providerOf)("a@unknown.example", "none")).toBe(true);
});
