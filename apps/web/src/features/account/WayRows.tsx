import type { SignInWire, WaysInAction } from "@kauke/contract";
import { useUser } from "../../api/session/session.ts";
import { walletLabel } from "../../app/shell/user-label.ts";
import { t } from "../../texts/texts.ts";
import { Setting } from "../../ui/Card.tsx";
import { Button } from "../../ui/Controls.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { useKeptFocus } from "../../ui/use-kept-focus.ts";
import { useGoogleOff } from "../auth/GoogleButton.tsx";
import { CancelWallet } from "../wallet/ConnectWallet.tsx";

export function otherWaysText({ hasGoogle, hasWallet }: Pick<SignInWire, "hasGoogle" | "hasWallet">): string {
  if (hasGoogle && hasWallet) return t("You sign in with your Google account or your wallet.");
  if (hasGoogle) return t("You sign in with your Google account.");
  return hasWallet ? t("You sign in with your wallet.") : "";
}

interface Props {
  isLinked: boolean;
  isLinking: boolean;
  onStart: (action: WaysInAction) => void;
}

export function WalletRow({ isLinked, isLinking, onStart, onGiveUp }: Props & { onGiveUp: () => void }) {
  const { walletAddress } = useUser();
  const kept = useKeptFocus<HTMLDivElement>();
  return (
    <Setting
      title={
        <>
          {t("Solana wallet")}{" "}
          {isLinked && walletAddress !== null ? <span className="addr">{walletLabel(walletAddress)}</span> : null}
        </>
      }
      text={
        isLinked ? t("You can sign in with a signature of this wallet.") : t("Sign in with a signature of your wallet.")
      }
    >
      <div className="acts" id="wallet-acts" {...kept}>
        {isLinked ? (
          <Button aria-label={t("Remove wallet")} onClick={() => onStart("unlink-wallet")}>
            {t("Remove")}
          </Button>
        ) : (
          <>
            <SubmitButton
              type="button"
              pending={isLinking}
              pendingLabel={t("Connecting...")}
              onClick={() => onStart("link-wallet")}
            >
              {t("Link Wallet")}
            </SubmitButton>
            {isLinking ? <CancelWallet onCancel={onGiveUp} /> : null}
          </>
        )}
      </div>
    </Setting>
  );
}

/** Without an issuer a Google account can't be linked, but removed. */
export function GoogleRow({ isLinked, isLinking, onStart }: Props) {
  const isOff = useGoogleOff();
  const kept = useKeptFocus<HTMLDivElement>({ other: () => document.getElementById("sign-in") });
  if (isOff && !isLinked) return null;
  const signsIn = isOff
    ? t("Signing in with Google is not set up on this server.")
    : t("You can sign in with it, whatever its address.");
  return (
    <Setting
      title={t("Google account")}
      text={isLinked ? signsIn : t("Sign in with Google. Google then learns when you sign in here.")}
    >
      <div className="acts" id="google-acts" {...kept}>
        {isLinked ? (
          <Button aria-label={t("Remove Google")} onClick={() => onStart("unlink-google")}>
            {t("Remove")}
          </Button>
        ) : (
          <SubmitButton
            type="button"
            pending={isLinking}
            pendingLabel={t("Opening Google...")}
            onClick={() => onStart("link-google")}
          >
            {t("Link Google")}
          </SubmitButton>
        )}
      </div>
    </Setting>
  );
}
