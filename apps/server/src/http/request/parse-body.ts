import type { FieldErrors } from "@kauke/contract";
import type * as z from "zod";
import { AppError } from "../../core/app-error.ts";

/** @throws AppError `invalid`, with messages by field (`errors`) unless the body as a whole is wrong */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  // A missing body counts as one without fields, so that each required field gets its message.
  const parsed = schema.safeParse(body ?? {}, { error: plainText });
  if (parsed.success) return parsed.data;
  throw toAppError(parsed.error.issues);
}

function toAppError(issues: readonly z.core.$ZodIssue[]): AppError {
  const errors: FieldErrors = {};
  for (const { path, message } of issues) {
    if (path.length === 0) continue;
    const field = String(path[0]);
    const messages = (errors[field] ??= []);
    if (!messages.includes(message)) messages.push(message);
  }
  const message = issues[0]?.message;
  return new AppError("invalid", Object.keys(errors).length === 0 ? { message } : { message, errors });
}

function plainText(issue: z.core.$ZodRawIssue): string {
  if (issue.path?.length === 0 || issue.path === undefined) return "The body must be a JSON object";
  return issue.code === "invalid_type" ? "This field has the wrong type" : "This field is not valid";
}
