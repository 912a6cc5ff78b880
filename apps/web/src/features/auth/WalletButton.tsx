/** Signs in by a signature of the browser's Solana wallet; of several, the person chooses one, and may stop waiting for it. */
import { Wallet } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useWalletSignIn } from "../../api/wallet.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { connectWallet, signChallenge } from "../wallet/prove-wallet.ts";
import { WalletDialog } from "../wallet/WalletDialog.tsx";
import { waitForWallet } from "../wallet/wait-for-wallet.ts";
import { walletFailureText, walletNotFound } from "../wallet/wallet-failure.ts";
import { pageWallets, type StandardWallet } from "../wallet/wallet-standard.ts";

type Challenge = Parameters<typeof signChallenge>[2];

async function signerOf(wallet: StandardWallet, givenUp: AbortSignal) {
  const account = await waitForWallet(() => connectWallet(wallet), givenUp);
  const sign = (challenge: Challenge) => waitForWallet(() => signChallenge(wallet, account, challenge), givenUp);
  return { address: account.address, sign };
}

/** Who leaves the page gives up as well. */
function useWalletAttempt() {
  const [, navigate] = useLocation();
  const signIn = useWalletSignIn();
  const attempt = useRef<AbortController>(null);
  useEffect(() => () => attempt.current?.abort(), []);
  const start = (wallet: StandardWallet) => {
    const { signal } = (attempt.current = new AbortController());
    signIn.mutate(() => signerOf(wallet, signal), {
      onSuccess: () => navigate("/dashboard"),
      onError: (error) => signal.aborted || showFailure("Connection Failed", walletFailureText(error)),
    });
  };
  return { isPending: signIn.isPending, start, giveUp: () => attempt.current?.abort() };
}

function CancelButton({ onCancel }: { onCancel: () => void }) {
  const onKey = (event: React.KeyboardEvent) => event.key === "Escape" && onCancel();
  return (
    <button type="button" className="btn" aria-label="Cancel connecting" autoFocus onClick={onCancel} onKeyDown={onKey}>
      Cancel
    </button>
  );
}

export function WalletButton() {
  const [choice, setChoice] = useState<readonly StandardWallet[] | null>(null);
  const { isPending, start, giveUp } = useWalletAttempt();
  const [wasCancelled, setWasCancelled] = useState(false);
  // Wallets that come late have until the click to do so.
  useEffect(() => void pageWallets(), []);
  const connect = (wallet: StandardWallet) => {
    setChoice(null);
    setWasCancelled(false);
    start(wallet);
  };
  const handleClick = () => {
    const wallets = pageWallets().all();
    const [first] = wallets;
    if (first === undefined) showFailure("Connection Failed", walletNotFound);
    else if (wallets.length === 1) connect(first);
    else setChoice(wallets);
  };
  const handleCancel = () => {
    setWasCancelled(true);
    giveUp();
  };
  return (
    <>
      <div className="connecting">
        <SubmitButton
          // A new one after a cancel, so that it takes the focus back.
          key={isPending ? "pending" : "ready"}
          type="button"
          className="btn-block"
          pending={isPending}
          pendingLabel="Connecting..."
          autoFocus={wasCancelled}
          onClick={handleClick}
        >
          <Wallet className="i" aria-hidden="true" />
          Continue with Solana Wallet
        </SubmitButton>
        {isPending ? <CancelButton onCancel={handleCancel} /> : null}
      </div>
      {choice === null ? null : <WalletDialog wallets={choice} onChoose={connect} onClose={() => setChoice(null)} />}
    </>
  );
}
