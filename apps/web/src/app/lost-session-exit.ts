/** A session that was ended elsewhere: the next call is refused, and this page leads to the sign-in form, saying why. */
import { useEffect } from "react";
import { useLocation } from "wouter";
import { keptAtLoss, useSessionLost } from "../api/session/lost-session.ts";
import { useLeaveSession } from "../api/session/session.ts";
import { showFailure } from "../ui/toast-store.ts";
import type { ScreenName } from "./screens.ts";

/** The dashboard says it in place (specification section 2). */
const leaving: ReadonlySet<ScreenName> = new Set(["settings", "compose", "decrypt", "confirm-email", "new-email"]);

export function useLostSessionExit(screen: ScreenName): void {
  const isLost = useSessionLost();
  const leave = useLeaveSession();
  const [, navigate] = useLocation();
  const mustLeave = isLost && leaving.has(screen);
  useEffect(() => {
    if (!mustLeave) return;
    leave();
    navigate("/auth");
    const text = `Your session has ended. Please sign in again.${keptAtLoss()}`;
    // After what the refused call itself has to say: there is one toast.
    setTimeout(() => showFailure("Signed Out", text));
  }, [mustLeave, leave, navigate]);
}
