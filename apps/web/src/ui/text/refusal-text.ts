import { ApiError, messageOf } from "../../api/api-error.ts";
import { timeText } from "./time-text.ts";

/** For toasts; a rate limit says when it ends. */
export function refusalText(error: unknown, fallback: string): string {
  const message = messageOf(error, fallback);
  const time = error instanceof ApiError && error.resetTime !== undefined ? timeText(error.resetTime) : "";
  return time === "" ? message : `${message.replace(/[.\s]*$/, ".")} Try again after ${time}`;
}
