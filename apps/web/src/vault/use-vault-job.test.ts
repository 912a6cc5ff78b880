import { expect, it } from "vitest";
import { ApiError } from "../api/api-error.ts";
import { vaultFailureText } from "./use-vault-job.ts";
import { VaultError } from "./vault.ts";

it("a wrong password has its own message", () => {
  expect(vaultFailureText(new VaultError("wrong_password"), "other")).toBe("Incorrect master password.");
  expect(vaultFailureText(new VaultError("malformed"), "other")).toBe("other");
});

it("an API error shows the server's message", () => {
  expect(vaultFailureText(new ApiError({ status: 400, message: "Too many keys." }), "other")).toBe("Too many keys.");
});

it("nothing of a foreign error is shown", () => {
  expect(vaultFailureText(new Error("Invalid checksum in AGE-SECRET-KEY-1ABC"), "other")).toBe("other");
});
