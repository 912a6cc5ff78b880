/** Signing in or registering without a password: with a wallet or a Google account. */
import { type MouseEvent, useEffect } from "react";
import { normalizePath } from "../../app/path.ts";
import { personalScreenAt } from "../../app/screens.ts";
import { GoogleButton } from "./GoogleButton.tsx";
import { sayGoogleIsOff, showGoogleFailure } from "./google-failure.ts";
import { WalletButton } from "./WalletButton.tsx";

/** Has the server redirect back to this page, if it is one for signed-in users, instead of to the dashboard. */
function returnHere({ currentTarget }: MouseEvent): void {
  const path = normalizePath(window.location.pathname);
  if (personalScreenAt(path) !== null && currentTarget instanceof HTMLAnchorElement)
    currentTarget.search = `?returnTo=${path}`;
}

export function OtherWays() {
  useEffect(showGoogleFailure, []);
  return (
    <>
      <div className="or">Or continue with</div>
      <div className="alt">
        <WalletButton />
        <GoogleButton className="btn btn-block" onClick={returnHere} onOffClick={sayGoogleIsOff} />
      </div>
    </>
  );
}
