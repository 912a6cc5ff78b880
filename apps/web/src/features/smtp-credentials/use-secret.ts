/** A secret is revealed for half a minute, in this component's state only. */
import { secretTimes } from "@kauke/contract";
import { useCallback, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { copySecret } from "../../ui/text/copy-text.ts";
import { timeText } from "../../ui/text/time-text.ts";

export interface Revealed {
  secret: string;
  /** A new secret has to be copied before it is hidden. */
  isNew: boolean;
  /** When the secret is hidden, in milliseconds of `Date.now()`. */
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
  /** A running call disables the other buttons: a late response must not reveal a replaced password. */
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
    /** Whether the strip had the focus when the secret was hidden; the View button then gets it. */
    heldFocus,
    hide,
    during,
    view: (read: () => Promise<string>) => during("view", async () => show(await read(), false)),
    /** Copies the secret, or reveals it if that fails. @param named for the toast @returns whether it was copied */
    copy: (read: () => Promise<string>, named: string) =>
      during("copy", async () => {
        const secret = read();
        const isCopied = await copySecret(secret, named, (text) => {
          show(text, false);
          // Resolves once the next frame shows the secret.
          return new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
        });
        await secret;
        return isCopied;
      }),
    /** Hides the replaced secret, which no longer works. */
    renew: (make: () => Promise<string>, work: "renew" | "create" = "renew") =>
      during(work, async () => {
        hide();
        show(await make(), true);
      }),
  };
}

export type Secret = ReturnType<typeof useSecret>;

/** Why a call failed; for a rate limit, when to try again. @param fallback as the specification names it */
export function secretFailure(error: unknown, fallback: string, now = new Date()): [title: string, text: string] {
  if (!(error instanceof ApiError) || !error.rateLimited) return [t("Error"), fallback];
  const time = error.resetTime === undefined ? "" : timeText(error.resetTime, now);
  return [
    t("Rate Limit Exceeded"),
    time === "" ? said(error.message) : t("{message} Try again after {time}", { message: said(error.message), time }),
  ];
}

/** Whether the credentials were changed in another tab or browser. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409);
}

class PasswordResponseError extends Error {
  override name = "PasswordResponseError";
}

/** @throws PasswordResponseError as the specification names it (section 8, "SMTP toasts") */
export async function passwordOf(response: Pick<Response, "headers" | "json">): Promise<string> {
  const notJson = () => new PasswordResponseError(t("Server returned non-JSON response"));
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "")) throw notJson();
  const body: unknown = await response.json().catch(() => {
    throw notJson();
  });
  if (!hasPassword(body)) throw new PasswordResponseError(t("No password found or invalid response"));
  return body.password;
}

function hasPassword(body: unknown): body is { success: true; password: string } {
  if (typeof body !== "object" || body === null || !("success" in body) || !("password" in body)) return false;
  return body.success === true && typeof body.password === "string" && body.password !== "";
}

export function passwordFailureText(error: unknown): string {
  if (error instanceof PasswordResponseError) return error.message;
  if (error instanceof ApiError && error.status > 0)
    return t("Failed to fetch password: {status}", { status: error.status });
  return t("Failed to fetch password");
}
