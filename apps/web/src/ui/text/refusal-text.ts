import { ApiError, messageOf } from "../../api/api-error.ts";
import { timeText } from "./time-text.ts";

/** Reason of a failed call, for a toast; for a rate limit with the time from which the call works again. */
export function refusalText(error: unknown, fallback: string): string {
  const message = messageOf(error, fallback);
  const time = error instanceof ApiError && error.resetTime !== undefined ? timeText(error.resetTime) : "";
  return time === "" ? message : `${message.replace(/[.\s]*$/, ".")} Try again after ${time}`;
}
