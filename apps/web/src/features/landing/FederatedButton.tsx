/**
 * Sign-up with a Google account, disabled where the server has none configured. A click does nothing while the session
 * is being checked, and opens the dashboard for signed-in users.
 */
import type { MouseEvent } from "react";
import { useLocation } from "wouter";
import { useSession } from "../../api/session/session.ts";
import { GoogleButton } from "../auth/GoogleButton.tsx";

export function FederatedButton() {
  const { user, isLoading } = useSession();
  const [, navigate] = useLocation();
  const handleClick = (event: MouseEvent) => {
    if (!isLoading && user === null) return;
    event.preventDefault();
    if (user !== null) navigate("/dashboard");
  };
  return <GoogleButton className="btn btn-lg" onClick={handleClick} />;
}
