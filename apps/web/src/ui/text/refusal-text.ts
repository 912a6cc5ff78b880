import { ApiError } from "../../api/api-error.ts";
import { messageOf } from "../../api/error-text.ts";
import { t } from "../../texts/texts.ts";
import { timeText } from "./time-text.ts";

/** Why a call was refused, for toasts; for a rate limit, when it ends. */
export function refusalText(error: unknown, fallback: string): string {
  const message = messageOf(error, fallback);
  const time = error instanceof ApiError && error.resetTime !== undefined ? timeText(error.resetTime) : "";
  return time === ""
    ? message
    : t("{message} Try again after {time}", { message: message.replace(/[.\s]*$/, "."), time });
}
