/** When the server reports that the session has ended, leaves the page for the sign-in form and says why. */
import { useEffect } from "react";
import { useLocation } from "wouter";
import { sessionLossNote, useSessionLost } from "../api/session/lost-session.ts";
import { useLeaveSession } from "../api/session/session.ts";
import { showFailure } from "../ui/toast-store.ts";
import type { ScreenName } from "./screens.ts";

/** Screens left when the session is lost. The dashboard shows the message in place (specification section 2). */
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
    const text = `Your session has ended. Please sign in again.${sessionLossNote()}`;
    // The toast is deferred until after the refused call's own, because only the latest toast is shown.
    setTimeout(() => showFailure("Signed Out", text));
  }, [mustLeave, leave, navigate]);
}
