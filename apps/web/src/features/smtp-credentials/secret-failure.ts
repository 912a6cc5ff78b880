/** What a refused change of a credential says: the specification's fixed sentence, or the limit's own with its time. */
import { ApiError } from "../../api/api-error.ts";
import { timeText } from "../../ui/text/time-text.ts";

/** @param fallback e.g. `Failed to regenerate password` */
export function secretFailure(error: unknown, fallback: string, now = new Date()): [title: string, text: string] {
  if (!(error instanceof ApiError) || !error.rateLimited) return ["Error", fallback];
  const time = error.resetTime === undefined ? "" : timeText(error.resetTime, now);
  return ["Rate Limit Exceeded", time === "" ? error.message : `${error.message} Try again after ${time}`];
}

/** Whether the page shows something that is not so any more: made, or gone, elsewhere. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409);
}
