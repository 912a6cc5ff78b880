/** Tests of the SMTP replies to errors. */
import { errorCodes } from "@kauke/contract";
import { parseEnhancedStatus } from "@kauke/mail-rfc";
import { expect, test } from "vitest";
import { replyFor, replyForThrow } from "./reply.ts";

test.each(errorCodes)("the reply to %s has an enhanced status of the class of its code", (error) => {
  const { code, enhancedStatus } = replyFor(error);
  expect(code).toBeGreaterThanOrEqual(400);
  expect(parseEnhancedStatus(enhancedStatus ?? "", code)).toBe(enhancedStatus);
});

test("an unexpected exception is a temporary failure, and its text stays here", () => {
  expect(replyForThrow(new Error("ann@example.org is gone"))).toEqual(replyFor("unavailable"));
  expect(replyFor("unavailable").code).toBe(451);
});
