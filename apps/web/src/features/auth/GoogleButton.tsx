/**
 * Link that starts a sign-in with Google; it ends at `/dashboard`, or at `/auth` with the reason of a failure. Where no
 * issuer is configured, a disabled button says so.
 */
import { googleFailureTexts } from "@kauke/contract";
import { Mail } from "lucide-react";
import { type ReactNode, useEffect, useId } from "react";
import { sayGoogleIsOff, showGoogleFailure, useGoogleSignIn } from "./google-sign-in.ts";

export function GoogleButton() {
  const signIn = useGoogleSignIn();
  const reason = useId();
  useEffect(showGoogleFailure, []);
  const content = (
    <>
      <Mail className="i" aria-hidden="true" />
      Continue with Gmail
    </>
  );
  return (
    <>
      {signIn === "off" ? (
        <OffButton reason={reason}>{content}</OffButton>
      ) : (
        <a className="btn btn-block" href="/api/auth/google">
          {content}
        </a>
      )}
      {/* The reason is always rendered and shown by CSS depending on a meta element, so hydration shifts no layout. */}
      <p id={reason} className="hint google-off">
        {googleFailureTexts.off}
      </p>
    </>
  );
}

/** A disabled button that stays focusable and clickable, so that everybody can learn why it is disabled. */
function OffButton({ reason, children }: { reason: string; children: ReactNode }) {
  return (
    <button
      type="button"
      className="btn btn-block is-off"
      aria-disabled="true"
      aria-describedby={reason}
      onClick={sayGoogleIsOff}
    >
      {children}
    </button>
  );
}
