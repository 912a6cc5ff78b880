/** When a refused sign-in is answered with the way by mail, and what is said when that has to wait. */
import { ApiError } from "../../api/api-error.ts";
import { timeText } from "../../ui/text/time-text.ts";

/** Too many tries, of whomever, or too many people at once: a link needs no waiting. A wrong password alone offers nothing. */
export function isLinkOffered(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}

/** @returns e.g. `You can ask for another one at 14:30.`, or `null` when waiting is not what it takes */
export function waitTextOf(error: unknown, now?: Date): string | null {
  if (!(error instanceof ApiError && error.rateLimited && error.resetTime !== undefined)) return null;
  const time = timeText(error.resetTime, now);
  return time === ""
    ? null
    : `You can ask for another one at ${time}. Until then, look for the last one that was sent.`;
}
