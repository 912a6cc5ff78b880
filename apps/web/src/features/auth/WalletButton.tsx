/** Signs in by a signature of the browser's Solana wallet; of several, the person chooses one, and may stop waiting for it. */
import { Wallet } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
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

/** Beside the button that waits, which keeps the focus; Escape does the same. */
function CancelButton({ onCancel }: { onCancel: () => void }) {
  const cancel = useEffectEvent(onCancel);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && cancel();
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <button
      type="button"
      className="btn"
      aria-label="Cancel connecting"
      onClick={({ currentTarget }) => {
        // It goes; what it stands beside can be pressed again.
        currentTarget.parentElement?.querySelector("button")?.focus();
        onCancel();
      }}
    >
      Cancel
    </button>
  );
}

export function WalletButton() {
  const [choice, setChoice] = useState<readonly StandardWallet[] | null>(null);
  const { isPending, start, giveUp } = useWalletAttempt();
  // Wallets that come late have until the click to do so.
  useEffect(() => void pageWallets(), []);
  const connect = (wallet: StandardWallet) => {
    setChoice(null);
    start(wallet);
  };
  const handleClick = () => {
    const wallets = pageWallets().all();
    const [first] = wallets;
    if (first === undefined) showFailure("Connection Failed", walletNotFound);
    else if (wallets.length === 1) connect(first);
    else setChoice(wallets);
  };
  return (
    <>
      <div className="connecting">
        <SubmitButton
          type="button"
          className="btn-block"
          pending={isPending}
          pendingLabel="Connecting..."
          onClick={handleClick}
        >
          <Wallet className="i" aria-hidden="true" />
          Continue with Solana Wallet
        </SubmitButton>
        {isPending ? <CancelButton onCancel={giveUp} /> : null}
      </div>
      {choice === null ? null : <WalletDialog wallets={choice} onChoose={connect} onClose={() => setChoice(null)} />}
    </>
  );
}
