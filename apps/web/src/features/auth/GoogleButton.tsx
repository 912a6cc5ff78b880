/** Leaves for the issuer's page and comes back to `/dashboard`, or to `/auth` with the reason. Says so where it is not set up. */
import { googleFailureTexts } from "@kauke/contract";
import { Mail } from "lucide-react";
import { type ReactNode, useEffect, useId } from "react";
import { sayGoogleIsOff, showGoogleFailure, useGoogleSignIn } from "./google-sign-in.ts";

export function GoogleButton() {
  const signIn = useGoogleSignIn();
  useEffect(showGoogleFailure, []);
  const content = (
    <>
      <Mail className="i" aria-hidden="true" />
      Continue with Gmail
    </>
  );
  if (signIn === "off") return <OffButton>{content}</OffButton>;
  return (
    <a className="btn btn-block" href="/api/auth/google">
      {content}
    </a>
  );
}

/** Can be reached and pressed, so that everybody learns the reason. */
function OffButton({ children }: { children: ReactNode }) {
  const reason = useId();
  return (
    <>
      <button
        type="button"
        className="btn btn-block is-off"
        aria-disabled="true"
        aria-describedby={reason}
        onClick={sayGoogleIsOff}
      >
        {children}
      </button>
      <p id={reason} className="hint">
        {googleFailureTexts.off}
      </p>
    </>
  );
}
