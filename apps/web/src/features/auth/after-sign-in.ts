import { useLocation } from "wouter";
import { dropInvite } from "../../api/session/held-invite.ts";
import { readLeftPage, setLeftPage } from "../../api/session/lost-session.ts";
import { normalizePath } from "../../app/path.ts";

/** Paths of sign-in pages; any other page showed the sign-in form in place of its content. */
const signInPaths: ReadonlySet<string> = new Set(["/auth", "/register", "/sign-in-link"]);

/**
 * From a sign-in page, opens the page left for inactivity or the dashboard; else stays. No address from outside decides
 * where a sign-in leads.
 */
export function useAfterSignIn(): () => void {
  const [location, navigate] = useLocation();
  return () => {
    if (signInPaths.has(normalizePath(location))) navigate(readLeftPage());
    setLeftPage();
    dropInvite();
  };
}
