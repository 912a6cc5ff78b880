/**
 * State of a password or secret that can be revealed for half a minute: hidden, loading or revealed. It exists only in
 * this component's state, and is gone when the panel closes.
 */
import { secretTimes } from "@kauke/contract";
import { useCallback, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { copySecret } from "../../ui/text/copy-text.ts";
import { timeText } from "../../ui/text/time-text.ts";

export interface Revealed {
  secret: string;
  /** Whether the secret was just created, so that it must be copied before it is hidden. */
  isNew: boolean;
  /** When the revealed secret is hidden again, in milliseconds of `Date.now()`. */
  until: number;
}

type Work = "view" | "copy" | "renew" | "create" | "delete";

export function useSecret() {
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const [busy, setBusy] = useState<Work | null>(null);
  const [heldFocus, setHeldFocus] = useState(false);
  const hide = useCallback((hadFocus = false) => {
    setHeldFocus(hadFocus);
    setRevealed(null);
  }, []);
  const show = (secret: string, isNew: boolean) =>
    setRevealed({ secret, isNew, until: Date.now() + secretTimes.visibleMs });
  /**
   * Runs an operation. `busy` names it meanwhile and disables the other buttons, so that no late response reveals a
   * password that has since been replaced.
   */
  const during = async <Result>(work: Work, run: () => Promise<Result>): Promise<Result> => {
    setBusy(work);
    try {
      return await run();
    } finally {
      setBusy(null);
    }
  };
  return {
    revealed,
    busy,
    /** Whether the revealed secret had the focus when it was hidden; the View button then gets the focus. */
    heldFocus,
    hide,
    during,
    view: (read: () => Promise<string>) => during("view", async () => show(await read(), false)),
    /**
     * Copies the secret, or reveals it if that fails, so that it can be copied by hand.
     * @param named its name for the toast
     * @returns whether the secret is now in the clipboard
     */
    copy: (read: () => Promise<string>, named: string) =>
      during("copy", async () => {
        const secret = read();
        const isCopied = await copySecret(secret, named, (text) => {
          show(text, false);
          // The page shows it by the next frame
          return new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
        });
        await secret;
        return isCopied;
      }),
    /** Creates a new secret; the one revealed before is hidden, because it no longer works. */
    renew: (make: () => Promise<string>, work: "renew" | "create" = "renew") =>
      during(work, async () => {
        hide();
        show(await make(), true);
      }),
  };
}

export type Secret = ReturnType<typeof useSecret>;

/**
 * Toast for a refused operation on a password or secret: the specification's sentence, or for a rate limit the server's
 * message with the time of the next try.
 */

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

/**
 * Reads the response that contains a stored password, and the messages if it can't be read (specification section 8,
 * "SMTP toasts").
 */
class PasswordAnswerError extends Error {
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
