/** Signing in or registering without a password: with a wallet or a Google account. */
import { GoogleButton } from "./GoogleButton.tsx";
import { WalletButton } from "./WalletButton.tsx";

export function OtherWays() {
  return (
    <>
      <div className="or">Or continue with</div>
      <div className="alt">
        <WalletButton />
        <GoogleButton />
      </div>
    </>
  );
}
