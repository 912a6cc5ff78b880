import type { SignInWire, WaysInAction } from "@kauke/contract";
import { useUser } from "../../api/session/session.ts";
import { walletLabel } from "../../app/shell/user-label.ts";
import { Setting } from "../../ui/Card.tsx";
import { Button } from "../../ui/Controls.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { useGoogleOff } from "../auth/GoogleButton.tsx";
import { CancelWallet } from "../wallet/ConnectWallet.tsx";

export function otherWaysText({ hasGoogle, hasWallet }: Pick<SignInWire, "hasGoogle" | "hasWallet">): string {
  const ways = [...(hasGoogle ? ["your Google account"] : []), ...(hasWallet ? ["your wallet"] : [])];
  return ways.length === 0 ? "" : `You sign in with ${ways.join(" or ")}.`;
}

interface Props {
  isLinked: boolean;
  isLinking: boolean;
  onStart: (action: WaysInAction) => void;
}

export function WalletRow({ isLinked, isLinking, onStart, onGiveUp }: Props & { onGiveUp: () => void }) {
  const { walletAddress } = useUser();
  return (
    <Setting
      title={
        <>
          Solana wallet{" "}
          {isLinked && walletAddress !== null ? <span className="addr">{walletLabel(walletAddress)}</span> : null}
        </>
      }
      text={isLinked ? "You can sign in with a signature of this wallet." : "Sign in with a signature of your wallet."}
    >
      {isLinked ? (
        <Button aria-label="Remove wallet" onClick={() => onStart("unlink-wallet")}>
          Remove
        </Button>
      ) : (
        <div className="acts">
          <SubmitButton
            type="button"
            pending={isLinking}
            pendingLabel="Connecting..."
            onClick={() => onStart("link-wallet")}
          >
            Link Wallet
          </SubmitButton>
          {isLinking ? <CancelWallet onCancel={onGiveUp} /> : null}
        </div>
      )}
    </Setting>
  );
}

/** Without an issuer a Google account can't be linked, but removed. */
export function GoogleRow({ isLinked, isLinking, onStart }: Props) {
  const isOff = useGoogleOff();
  if (isOff && !isLinked) return null;
  const signsIn = isOff
    ? "Signing in with Google is not set up on this server."
    : "You can sign in with it, whatever its address.";
  return (
    <Setting
      title="Google account"
      text={isLinked ? signsIn : "Sign in with Google. Google then learns when you sign in here."}
    >
      {isLinked ? (
        <Button aria-label="Remove Google" onClick={() => onStart("unlink-google")}>
          Remove
        </Button>
      ) : (
        <SubmitButton
          type="button"
          pending={isLinking}
          pendingLabel="Opening Google..."
          onClick={() => onStart("link-google")}
        >
          Link Google
        </SubmitButton>
      )}
    </Setting>
  );
}
