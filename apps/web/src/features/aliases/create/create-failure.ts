/** Texts of the specification's section 8, "Create alias". */
import { ApiError } from "../../../api/api-error.ts";
import { fieldMessages, messageOf } from "../../../api/error-text.ts";
import { said } from "../../../texts/said.ts";
import { t } from "../../../texts/texts.ts";
import { timeText } from "../../../ui/text/time-text.ts";

export interface CreateFailure {
  title: string;
  description: string;
  fields: [field: string, message: string][];
}

function rateLimitText(error: ApiError, now: Date): string {
  const message = said(error.message).replace(/[.\s]*$/, ".");
  const time = error.resetTime === undefined ? "" : timeText(error.resetTime, now);
  return time === "" ? message : t("{message} Try again after {time}", { message, time });
}

const nameFailure = (title: string, message: string): CreateFailure => ({
  title,
  description: message,
  fields: [["alias", message]],
});

export const reservedFailure = (name: string): CreateFailure =>
  nameFailure(t("Alias Not Allowed"), t("The name {name} is reserved.", { name }));

export function createFailure(error: unknown, now = new Date()): CreateFailure {
  if (error instanceof ApiError && error.rateLimited)
    return { title: t("Rate Limit Exceeded"), description: rateLimitText(error, now), fields: [] };
  if (error instanceof ApiError && error.code === "alias_reserved")
    return nameFailure(t("Alias Not Allowed"), said(error.message));
  if (error instanceof ApiError && isNameRefused(error)) return nameFailure(t("Creation Failed"), said(error.message));
  const fields = fieldMessages(error);
  if (fields.length > 0)
    return { title: t("Validation Error"), description: t("Please fix the errors shown below and try again."), fields };
  return { title: t("Creation Failed"), description: messageOf(error, t("Failed to create alias")), fields };
}

export function updateFailure(error: unknown): CreateFailure {
  if (error instanceof ApiError && error.code === "alias_reserved")
    return nameFailure(t("Alias Not Allowed"), said(error.message));
  if (error instanceof ApiError && isNameRefused(error)) return nameFailure(t("Update Failed"), said(error.message));
  if (isChangedElsewhere(error)) return { title: t("Alias Changed Elsewhere"), description: changedText, fields: [] };
  return {
    title: t("Update Failed"),
    description: messageOf(error, t("Failed to update alias")),
    fields: fieldMessages(error),
  };
}

export const isChangedElsewhere = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "alias_changed";

const changedText = t(
  "It was changed in another tab or on another device since you began to edit. Save again to replace that by what is here.",
);

/** Whether the name is somebody else's; such a response has no field errors. */
const isNameRefused = ({ code }: ApiError): boolean => code === "alias_taken" || code === "alias_released";

/** The list of reserved names is a chunk; if it doesn't load, the server refuses the name. */
export async function isReservedName(name: string): Promise<boolean> {
  try {
    const { findReservedName } = await import("@kauke/contract/reserved-names");
    return findReservedName(name) !== null;
  } catch {
    return false;
  }
}
