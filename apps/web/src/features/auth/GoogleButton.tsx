/** Leaves for the issuer's page and comes back to `/dashboard`, or to `/auth` with the reason. */
import { Mail } from "lucide-react";

export function GoogleButton() {
  return (
    <a className="btn btn-block" href="/api/auth/google">
      <Mail className="i" aria-hidden="true" />
      Continue with Gmail
    </a>
  );
}
