/** Decides when a refused sign-in offers a link by mail, and what to say when the link itself is rate-limited. */
import { ApiError } from "../../api/api-error.ts";
import { timeText } from "../../ui/text/time-text.ts";

/**
 * Whether to offer a sign-in link: after a refusal with status 429, by a rate limit or an overloaded server. Not
 * offered for a wrong password.
 */
export function isLinkOffered(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}

/**
 * When another sign-in link can be requested.
 * @returns e.g. `You can ask for another one at 14:30.`, or `null` if the error is not a rate limit with a reset time
 */
export function waitTextOf(error: unknown, now?: Date): string | null {
  if (!(error instanceof ApiError && error.rateLimited && error.resetTime !== undefined)) return null;
  const time = timeText(error.resetTime, now);
  return time === ""
    ? null
    : `You can ask for another one at ${time}. Until then, look for the last one that was sent.`;
}
