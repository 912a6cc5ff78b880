/**
 * When the server reports that the session has ended, signs out in the browser and says why. The address stays: a page
 * for signed-in users then shows the sign-in form in place of its content, and after the sign-in its content again.
 */
import { useEffect } from "react";
import { sessionLossNote, useSessionLost } from "../api/session/lost-session.ts";
import { leaveSession } from "../api/session/session.ts";
import { showFailure } from "../ui/toast-store.ts";
import type { ScreenName } from "./screens.ts";

/**
 * The dashboard shows a message in place instead (specification section 2).
 * @returns whether the session is lost
 */
export function useLostSessionExit(screen: ScreenName): boolean {
  const isLost = useSessionLost();
  const mustLeave = isLost && screen !== "dashboard";
  useEffect(() => {
    if (!mustLeave) return;
    leaveSession();
    const text = `Your session has ended. Please sign in again.${sessionLossNote()}`;
    // The toast is deferred until after the refused call's own, because only the latest toast is shown.
    setTimeout(() => showFailure("Signed Out", text));
  }, [mustLeave]);
  return isLost;
}
