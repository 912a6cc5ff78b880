/** Signs in by a signature of the browser's Solana wallet; of several, the person chooses one. */
import { Wallet } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useWalletSignIn } from "../../api/wallet.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { connectWallet, signChallenge } from "../wallet/prove-wallet.ts";
import { WalletDialog } from "../wallet/WalletDialog.tsx";
import { walletFailureText, walletNotFound } from "../wallet/wallet-failure.ts";
import { pageWallets, type StandardWallet } from "../wallet/wallet-standard.ts";

async function signerOf(wallet: StandardWallet) {
  const account = await connectWallet(wallet);
  return { address: account.address, sign: signChallenge.bind(null, wallet, account) };
}

export function WalletButton() {
  const [, navigate] = useLocation();
  const [choice, setChoice] = useState<readonly StandardWallet[] | null>(null);
  const signIn = useWalletSignIn();
  // Wallets that come late have until the click to do so.
  useEffect(() => void pageWallets(), []);
  const start = (wallet: StandardWallet) => {
    setChoice(null);
    signIn.mutate(() => signerOf(wallet), {
      onSuccess: () => navigate("/dashboard"),
      onError: (error) => showFailure("Connection Failed", walletFailureText(error)),
    });
  };
  const handleClick = () => {
    const wallets = pageWallets().all();
    const [first] = wallets;
    if (first === undefined) showFailure("Connection Failed", walletNotFound);
    else if (wallets.length === 1) start(first);
    else setChoice(wallets);
  };
  return (
    <>
      <SubmitButton
        type="button"
        className="btn-block"
        pending={signIn.isPending}
        pendingLabel="Connecting..."
        onClick={handleClick}
      >
        <Wallet className="i" aria-hidden="true" />
        Continue with Solana Wallet
      </SubmitButton>
      {choice === null ? null : <WalletDialog wallets={choice} onChoose={start} onClose={() => setChoice(null)} />}
    </>
  );
}
