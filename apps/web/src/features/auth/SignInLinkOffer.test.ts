import { expect, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { isLinkOffered, waitTextOf } from "./SignInLinkOffer.tsx";

const refused = (status: number, more: { resetTime?: string; rateLimited?: boolean } = {}) =>
  new ApiError({ status, message: "No", ...more });

test("a link is offered for a rate limit, and not for a wrong password", () => {
  expect(isLinkOffered(refused(429))).toBe(true);
  for (const error of [refused(401), refused(400), refused(0), refused(500), new Error("429"), null])
    expect(isLinkOffered(error)).toBe(false);
});

test("the time of the next possible request is shown in the reader's time zone", () => {
  const now = new Date(2026, 10, 22, 14, 10);
  const resetTime = new Date(2026, 10, 22, 14, 25).toISOString();
  const text = "You can ask for another one at 14:25. Until then, look for the last one that was sent.";
  expect(waitTextOf(refused(429, { rateLimited: true, resetTime }), now)).toBe(text);
  expect(waitTextOf(refused(429, { rateLimited: true, resetTime: "soon" }), now)).toBeNull();
  for (const error of [refused(500), refused(429), new Error("x")]) expect(waitTextOf(error, now)).toBeNull();
});
