import { useLocation } from "wouter";
import { normalizePath } from "../../app/path.ts";

/** Any other page showed the form in place of its content. */
const signInPaths: ReadonlySet<string> = new Set(["/auth", "/register", "/sign-in-link"]);

/** Opens the dashboard from a sign-in page, else stays. No address from outside decides it. */
export function useAfterSignIn(): () => void {
  const [location, navigate] = useLocation();
  return () => {
    if (signInPaths.has(normalizePath(location))) navigate("/dashboard");
  };
}
