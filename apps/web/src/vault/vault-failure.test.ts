import { expect, it } from "vitest";
import { ApiError } from "../api/api-error.ts";
import { VaultError } from "./vault.ts";
import { vaultFailureText } from "./vault-failure.ts";

it("tells a wrong password from everything else", () => {
  expect(vaultFailureText(new VaultError("wrong_password"), "other")).toBe("Incorrect master password.");
  expect(vaultFailureText(new VaultError("malformed"), "other")).toBe("other");
});

it("passes on what the server says", () => {
  expect(vaultFailureText(new ApiError({ status: 400, message: "Too many keys." }), "other")).toBe("Too many keys.");
});

it("shows nothing of an error that isn't ours", () => {
  expect(vaultFailureText(new Error("Invalid checksum in AGE-SECRET-KEY-1ABC"), "other")).toBe("other");
});
