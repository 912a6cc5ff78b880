/**
 * Reads the response that contains a stored password, and the messages if it can't be read (specification section 8,
 * "SMTP toasts").
 */
import { ApiError } from "../../api/api-error.ts";

export class PasswordAnswerError extends Error {
  override name = "PasswordAnswerError";
}

/** Reads the password from a response. @throws PasswordAnswerError with the message that the specification names */
export async function passwordOf(response: Pick<Response, "headers" | "json">): Promise<string> {
  const notJson = () => new PasswordAnswerError("Server returned non-JSON response");
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "")) throw notJson();
  const body: unknown = await response.json().catch(() => {
    throw notJson();
  });
  if (!isPasswordAnswer(body)) throw new PasswordAnswerError("No password found or invalid response");
  return body.password;
}

function isPasswordAnswer(body: unknown): body is { success: true; password: string } {
  if (typeof body !== "object" || body === null || !("success" in body) || !("password" in body)) return false;
  return body.success === true && typeof body.password === "string" && body.password !== "";
}

export function passwordFailureText(error: unknown): string {
  if (error instanceof PasswordAnswerError) return error.message;
  if (error instanceof ApiError && error.status > 0) return `Failed to fetch password: ${error.status}`;
  return "Failed to fetch password";
}
