import { ageErrorCodes } from "@kauke/age";
import { expect, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { VaultError, type VaultErrorCode } from "../../vault/vault.ts";
import { failureToast, fieldToCorrect } from "./use-decrypt.ts";

const failed = (description: string) => ({ title: "Decryption failed", description });
const told = (code: VaultErrorCode) => failureToast(new VaultError(code), "auto");

test.each([
  ["wrong_password", "Incorrect master password."],
  ["no_matching_key", "This message was not encrypted for this key."],
  ["malformed", "The encrypted text is damaged or is not an AGE message."],
  ["not_age", "The encrypted text is damaged or is not an AGE message."],
  ["bad_private_key", "The private key is not valid."],
  ["not_text", "Decrypted, but the content is not text."],
] as const)("%s has the API's message: %s", (code, text) => {
  expect(told(code)).toEqual(failed(text));
});

test("a key in an outdated format asks to be created again", () => {
  expect(told("not_protected_key").title).toBe("Encryption key needs update");
  expect(told("not_protected_key").description).toMatch(/older method.*[Dd]elete it and create a new one in Settings/s);
});

test("a key without a master password points to Settings and to manual decrypt, in auto decrypt only", () => {
  const refusal = new ApiError({ status: 422, message: "This key does not support master password protection." });
  expect(failureToast(refusal, "auto")).toEqual({
    title: "Key Compatibility Issue",
    description: "Create a new key in Settings for auto-decrypt, or use manual decrypt.",
  });
  expect(failureToast(refusal, "manual")).toEqual(failed(refusal.message));
  expect(told("unprotected_key")).toEqual(failureToast(refusal, "auto"));
});

test("an API error shows the server's message, any other error a general one", () => {
  const missing = new ApiError({ status: 404, message: "Encryption key not found" });
  expect(failureToast(missing, "auto")).toEqual(failed("Encryption key not found"));
  const secret = new Error("Invalid checksum in AGE-SECRET-KEY-1QQQ");
  for (const method of ["auto", "manual"] as const)
    expect(failureToast(secret, method)).toEqual(failed("An error occurred while decrypting the message."));
});

test("no message contains an error code", () => {
  for (const code of [...ageErrorCodes, "ended" as const]) expect(told(code).description).not.toContain("_");
});

test("only an error that one field can fix focuses that field", () => {
  const fields = (["wrong_password", "bad_private_key", "malformed"] as const).map((code) =>
    fieldToCorrect(new VaultError(code)),
  );
  expect(fields).toEqual(["password", "privateKey", null]);
  expect(fieldToCorrect(new Error("wrong_password"))).toBeNull();
});
