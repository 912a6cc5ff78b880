import { describe, expect, it } from "vitest";
import { authMethodWithout, decideRemoval, waysIn } from "./ways-in.ts";

const issuer = "https://issuer.example";
const nothing = { email: null, passwordHash: null, walletAddress: null, googleId: null };
const email = { email: "ann@people.example" };
const password = { passwordHash: "$argon2id$x" };
const wallet = { walletAddress: "w" };
const google = { googleId: "g", googleIssuer: issuer };

describe("what signs in", () => {
  it.each([
    ["nothing", {}, []],
    ["an e-mail without a password is no way", email, []],
    ["a password without an e-mail is no way", password, []],
    ["e-mail and password are one way", { ...email, ...password }, ["password"]],
    ["all", { ...email, ...password, ...wallet, ...google }, ["password", "wallet", "google"]],
    ["another issuer's subject", { ...wallet, googleId: "g", googleIssuer: "https://other.example" }, ["wallet"]],
    ["a subject from before issuers were named", { googleId: "g" }, []],
  ])("%s", (_, account, ways) => {
    expect(waysIn({ ...nothing, ...account }, issuer)).toEqual(ways);
  });

  it("counts no Google account where federated sign-in is off", () => {
    expect(waysIn({ ...nothing, ...wallet, ...google }, null)).toEqual(["wallet"]);
  });
});

describe("removing", () => {
  it.each([
    ["the wallet beside a password", { ...email, ...password, ...wallet }, "wallet", "removed"],
    ["the wallet beside Google", { ...wallet, ...google }, "wallet", "removed"],
    ["Google beside the wallet", { ...wallet, ...google }, "google", "removed"],
    ["the only wallet", wallet, "wallet", "last"],
    ["the only wallet, with an e-mail that has no password", { ...email, ...wallet }, "wallet", "last"],
    ["the only Google account, with an e-mail that has no password", { ...email, ...google }, "google", "last"],
    ["a wallet that is not there", { ...email, ...password }, "wallet", "missing"],
    ["a Google account that is not there", wallet, "google", "missing"],
  ] as const)("%s: %s", (_, account, way, decision) => {
    expect(decideRemoval({ ...nothing, ...account }, way, issuer)).toBe(decision);
  });

  it("with federated sign-in off, the wallet beside Google is the last one, and Google can go", () => {
    const account = { ...nothing, ...wallet, ...google };
    expect(decideRemoval(account, "wallet", null)).toBe("last");
    expect(decideRemoval(account, "google", null)).toBe("removed");
  });

  it("shows the account as what is left", () => {
    expect(authMethodWithout({ ...nothing, ...email, ...wallet }, "wallet")).toBe("email");
    expect(authMethodWithout({ ...nothing, ...wallet, ...google }, "wallet")).toBe("google");
    expect(authMethodWithout({ ...nothing, ...wallet, ...google }, "google")).toBe("wallet");
  });
});
