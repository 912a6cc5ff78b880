import { useLocation } from "wouter";
import { dropInvite } from "../../api/session/held-invite.ts";
import { normalizePath } from "../../app/path.ts";

/** Paths of sign-in pages; any other page showed the sign-in form in place of its content. */
const signInPaths: ReadonlySet<string> = new Set(["/auth", "/register", "/sign-in-link"]);

/** Opens the dashboard from a sign-in page, else stays. No address from outside decides where a sign-in leads. */
export function useAfterSignIn(): () => void {
  const [location, navigate] = useLocation();
  return () => {
    if (signInPaths.has(normalizePath(location))) navigate("/dashboard");
    dropInvite();
  };
}
