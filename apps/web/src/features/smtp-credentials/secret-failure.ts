/**
 * Toast for a refused operation on a password or secret: the specification's sentence, or for a rate limit the server's
 * message with the time of the next try.
 */
import { ApiError } from "../../api/api-error.ts";
import { timeText } from "../../ui/text/time-text.ts";

/** @param fallback toast text that the specification names for the operation, e.g. `Failed to regenerate password` */
export function secretFailure(error: unknown, fallback: string, now = new Date()): [title: string, text: string] {
  if (!(error instanceof ApiError) || !error.rateLimited) return ["Error", fallback];
  const time = error.resetTime === undefined ? "" : timeText(error.resetTime, now);
  return ["Rate Limit Exceeded", time === "" ? error.message : `${error.message} Try again after ${time}`];
}

/** Whether the page is outdated because a credential was created or deleted in another tab or browser. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409);
}
