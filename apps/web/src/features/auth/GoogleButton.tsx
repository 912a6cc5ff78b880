/** Leaves for the issuer's page and comes back to `/dashboard`, or to `/auth` with the reason. Says so where it is not set up. */
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
      {/* There whatever is set up: the style sheet shows it by the document's word, so that nothing moves as the page comes to life. */}
      <p id={reason} className="hint google-off">
        {googleFailureTexts.off}
      </p>
    </>
  );
}

/** Can be reached and pressed, so that everybody learns the reason. */
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
