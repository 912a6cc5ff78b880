import { ageErrorCodes, generateKeyPair } from "@kauke/age";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { cleanPublicKey, encryptionRefusal, encryptLetter } from "./encrypt-letter.ts";

const { publicKey } = await generateKeyPair();
const targets = [{ address: "rasa@outside.example", publicKey, isKnown: false }];
const message = { body: "I am jonas@inbox.example" };

describe("a message that can't be encrypted", () => {
  it("names the field and the reason for every failure", () => {
    expect(encryptionRefusal("bad_public_key")).toMatchObject({
      field: "key",
      message: "This is not an AGE public key",
    });
    expect(encryptionRefusal("too_large").field).toBe("body");
    for (const code of [...ageErrorCodes, "ended" as const]) expect(encryptionRefusal(code).message).not.toContain("_");
  });

  it("is refused by the leak guard before any encryption", async () => {
    const readGuard = async () => ({ isOn: true, forwardTo: "jonas@inbox.example" });
    await expect(encryptLetter(message, targets, readGuard)).rejects.toMatchObject({ field: "body" });
  });

  it("is refused if the leak guard's setting can't be loaded", async () => {
    const down = new ApiError({ status: 0, message: "The server could not be reached." });
    await expect(encryptLetter(message, targets, () => Promise.reject(down))).rejects.toBe(down);
  });

  it("is refused with the address whose key is wrong", async () => {
    const wrong = { address: "ona@outside.example", publicKey: "age1", isKnown: true };
    const readGuard = async () => ({ isOn: false, forwardTo: "" });
    const failed = encryptLetter(message, [...targets, wrong], readGuard);
    await expect(failed).rejects.toMatchObject({ field: "key", address: "ona@outside.example" });
  });

  it("is refused if no worker can be started, and the error reveals nothing of the message", async () => {
    const readGuard = async () => ({ isOn: false, forwardTo: "jonas@inbox.example" });
    const failed = encryptLetter(message, targets, readGuard);
    await expect(failed).rejects.toMatchObject({ field: "encryption", message: expect.not.stringContaining("jonas") });
  });
});

it("a pasted public key is stripped of its label and blanks", async () => {
  expect(await cleanPublicKey("# public key: age1m5aah\n  n0t09nl ")).toBe("age1m5aahn0t09nl");
});
