/** Signing in or registering without a password: with a wallet or a Google account. */
import { useEffect } from "react";
import { GoogleButton } from "./GoogleButton.tsx";
import { sayGoogleIsOff, showGoogleFailure } from "./google-failure.ts";
import { WalletButton } from "./WalletButton.tsx";

export function OtherWays() {
  useEffect(showGoogleFailure, []);
  return (
    <>
      <div className="or">Or continue with</div>
      <div className="alt">
        <WalletButton />
        <GoogleButton className="btn btn-block" onOffClick={sayGoogleIsOff} />
      </div>
    </>
  );
}
