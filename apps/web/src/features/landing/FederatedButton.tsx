/**
 * Sign-up with a Google account: links to the redirect to the issuer. A click does nothing while the session is being
 * checked, and opens the dashboard for signed-in users.
 */
import { Mail } from "lucide-react";
import type { MouseEvent } from "react";
import { useLocation } from "wouter";
import { useSession } from "../../api/session/session.ts";

export function FederatedButton() {
  const { user, isLoading } = useSession();
  const [, navigate] = useLocation();
  const handleClick = (event: MouseEvent) => {
    if (!isLoading && user === null) return;
    event.preventDefault();
    if (user !== null) navigate("/dashboard");
  };
  return (
    <a className="btn btn-lg" href="/api/auth/google" onClick={handleClick}>
      <Mail className="i" aria-hidden="true" />
      Continue with Gmail
    </a>
  );
}
