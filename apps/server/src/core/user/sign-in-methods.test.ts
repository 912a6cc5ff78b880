import { describe, expect, it } from "vitest";
import { authMethodWithout, decideRemoval, waysIn } from "./sign-in-methods.ts";

const issuer = "https://issuer.example";
const nothing = { email: null, passwordHash: null, walletAddress: null, googleId: null };
const email = { email: "ann@people.example" };
const password = { passwordHash: "$argon2id$x" };
const wallet = { walletAddress: "w" };
const google = { googleId: "g", googleIssuer: issuer };

describe("what signs in", () => {
  it.each([
    ["nothing", {}, []],
    ["an e-mail without a password", email, []],
    ["a password without an e-mail", password, []],
    ["e-mail and password count as one", { ...email, ...password }, ["password"]],
    ["all", { ...email, ...password, ...wallet, ...google }, ["password", "wallet", "google"]],
    [
      "a wallet and another issuer's subject",
      { ...wallet, googleId: "g", googleIssuer: "https://other.example" },
      ["wallet"],
    ],
    ["a subject stored without its issuer", { googleId: "g" }, []],
  ])("%s", (_, account, ways) => {
    expect(waysIn({ ...nothing, ...account }, issuer)).toEqual(ways);
  });

  it("ignores a Google account while federated sign-in is off", () => {
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

  it("with federated sign-in off, a wallet beside Google cannot be removed but Google can", () => {
    const account = { ...nothing, ...wallet, ...google };
    expect(decideRemoval(account, "wallet", null)).toBe("last");
    expect(decideRemoval(account, "google", null)).toBe("removed");
  });

  it("changes the account's authMethod to a remaining one", () => {
    expect(authMethodWithout({ ...nothing, ...email, ...wallet }, "wallet")).toBe("email");
    expect(authMethodWithout({ ...nothing, ...wallet, ...google }, "wallet")).toBe("google");
    expect(authMethodWithout({ ...nothing, ...wallet, ...google }, "google")).toBe("wallet");
  });
});
