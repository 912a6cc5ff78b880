/** Tests of the SMTP replies to errors. */
import { parseEnhancedStatus } from "@kauke/mail-rfc";
import { expect, test } from "vitest";
import { AppError } from "../core/app-error.ts";
import { mailRefusals, replyFor, replyForThrow } from "./reply.ts";

test.each(mailRefusals)("the reply to %s has an enhanced status of the class of its code", (error) => {
  const { code, enhancedStatus } = replyFor(error);
  expect(code).toBeGreaterThanOrEqual(400);
  expect(parseEnhancedStatus(enhancedStatus ?? "", code)).toBe(enhancedStatus);
});

test("an error that mail can be refused for has its own reply, and one of the API is a temporary failure", () => {
  expect(replyForThrow(new AppError("spool_quota"))).toEqual(replyFor("spool_quota"));
  for (const code of ["alias_taken", "not_found", "email_taken"] as const)
    expect(replyForThrow(new AppError(code))).toEqual(replyFor("unavailable"));
});

test("an unexpected exception is a temporary failure, and its text stays here", () => {
  expect(replyForThrow(new Error("ann@example.org is gone"))).toEqual(replyFor("unavailable"));
  expect(replyFor("unavailable").code).toBe(451);
});
