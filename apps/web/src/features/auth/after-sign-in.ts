import { useLocation } from "wouter";
import { normalizePath } from "../../app/path.ts";

/** Pages that exist only for signing in. Any other page showed the form in place of its own content. */
const signInPaths: ReadonlySet<string> = new Set(["/auth", "/register", "/sign-in-link"]);

/**
 * @returns function to call after a sign-in: it opens the dashboard from a page for signing in, and otherwise stays,
 * because the page then shows its own content. No address from outside decides where a sign-in leads.
 */
export function useAfterSignIn(): () => void {
  const [location, navigate] = useLocation();
  return () => {
    if (signInPaths.has(normalizePath(location))) navigate("/dashboard");
  };
}
