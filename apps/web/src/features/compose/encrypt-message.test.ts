import { ageErrorCodes } from "@kauke/age";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { cleanPublicKey, encryptMessage, failureOf } from "./encrypt-message.ts";

const message = { fromAlias: "a", to: "rasa@outside.example", subject: "Hi", body: "I am jonas@inbox.example" };

describe("a message that can't be encrypted", () => {
  it("names the field and the reason for every failure", () => {
    expect(failureOf("bad_public_key")).toMatchObject({
      field: "recipientPublicKey",
      message: "This is not an AGE public key",
    });
    expect(failureOf("too_large").field).toBe("body");
    for (const code of [...ageErrorCodes, "ended" as const]) expect(failureOf(code).message).not.toContain("_");
  });

  it("is refused by the leak guard before any encryption", async () => {
    const readGuard = async () => ({ isOn: true, forwardTo: "jonas@inbox.example" });
    await expect(encryptMessage(message, "age1", readGuard)).rejects.toMatchObject({ field: "body" });
  });

  it("is refused if the leak guard's setting can't be loaded", async () => {
    const down = new ApiError({ status: 0, message: "The server could not be reached." });
    await expect(encryptMessage(message, "age1", () => Promise.reject(down))).rejects.toBe(down);
  });

  it("is refused if no worker can be started, and the error reveals nothing of the message", async () => {
    const readGuard = async () => ({ isOn: false, forwardTo: "jonas@inbox.example" });
    const failed = encryptMessage(message, "age1", readGuard);
    await expect(failed).rejects.toMatchObject({ field: "encryption", message: expect.not.stringContaining("jonas") });
  });
});

it("a pasted public key is stripped of its label and blanks", async () => {
  expect(await cleanPublicKey("# public key: age1m5aah\n  n0t09nl ")).toBe("age1m5aahn0t09nl");
});
