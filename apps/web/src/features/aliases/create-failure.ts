/** What a refused alias says (specification section 8, "Create alias"). */
import { ApiError, fieldMessages, messageOf } from "../../api/api-error.ts";
import { timeText } from "../../ui/time-text.ts";

export interface CreateFailure {
  title: string;
  description: string;
  fields: [field: string, message: string][];
}

function rateLimitText(error: ApiError, now: Date): string {
  const message = error.message.replace(/[.\s]*$/, ".");
  const time = error.resetTime === undefined ? "" : timeText(error.resetTime, now);
  return time === "" ? message : `${message} Try again after ${time}`;
}

export const reservedFailure = (name: string): CreateFailure => ({
  title: "Alias Not Allowed",
  description: `The name ${name} is reserved.`,
  fields: [],
});

export function createFailure(error: unknown, now = new Date()): CreateFailure {
  if (error instanceof ApiError && error.rateLimited)
    return { title: "Rate Limit Exceeded", description: rateLimitText(error, now), fields: [] };
  if (error instanceof ApiError && error.code === "alias_reserved")
    return { title: "Alias Not Allowed", description: error.message, fields: [] };
  const fields = fieldMessages(error);
  if (fields.length > 0)
    return { title: "Validation Error", description: "Please fix the errors shown below and try again.", fields };
  return { title: "Creation Failed", description: messageOf(error, "Failed to create alias"), fields };
}
