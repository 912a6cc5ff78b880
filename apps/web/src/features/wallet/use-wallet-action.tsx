/**
 * Runs an action signed by the browser's Solana wallet. With several wallets the user chooses one, and can cancel the
 * wait for it.
 */
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { WalletSigner } from "../../api/session/wallet.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { connectWallet, signChallenge } from "./prove-wallet.ts";
import { WalletDialog } from "./WalletDialog.tsx";
import { waitForWallet } from "./wait-for-wallet.ts";
import { walletFailureText, walletNotFound } from "./wallet-failure.ts";
import { pageWallets, type StandardWallet } from "./wallet-standard.ts";

type Challenge = Parameters<typeof signChallenge>[2];

async function signerOf(wallet: StandardWallet, givenUp: AbortSignal): Promise<WalletSigner> {
  const account = await waitForWallet(() => connectWallet(wallet), givenUp);
  const sign = (challenge: Challenge) => waitForWallet(() => signChallenge(wallet, account, challenge), givenUp);
  return { address: account.address, sign };
}

interface WalletMutation {
  isPending: boolean;
  mutate(
    connect: () => Promise<WalletSigner>,
    options: { onSuccess: () => void; onError: (error: Error) => void },
  ): void;
}

interface WalletAction {
  isPending: boolean;
  begin(): void;
  giveUp(): void;
  /** The dialog that chooses among several wallets. */
  choice: ReactNode;
}

/**
 * Runs a mutation signed by a wallet; cancels it when the component unmounts.
 * @param onError shows an error; by default a toast does
 */
export function useWalletAction(
  mutation: WalletMutation,
  { onSuccess, onError }: { onSuccess: () => void; onError?: (error: Error) => void },
): WalletAction {
  const [wallets, setWallets] = useState<readonly StandardWallet[] | null>(null);
  const attempt = useRef<AbortController>(null);
  useEffect(() => () => attempt.current?.abort(), []);
  // Start listening now, so that wallets that load late are known by the time of the click.
  useEffect(() => void pageWallets(), []);
  const sayFailure = onError ?? ((error: Error) => showFailure("Connection Failed", walletFailureText(error)));
  const start = (wallet: StandardWallet) => {
    setWallets(null);
    const { signal } = (attempt.current = new AbortController());
    mutation.mutate(() => signerOf(wallet, signal), {
      onSuccess,
      onError: (error) => signal.aborted || sayFailure(error),
    });
  };
  const begin = () => {
    const all = pageWallets().all();
    const [first] = all;
    if (first === undefined) showFailure("Connection Failed", walletNotFound);
    else if (all.length === 1) start(first);
    else setWallets(all);
  };
  const choice =
    wallets === null ? null : <WalletDialog wallets={wallets} onChoose={start} onClose={() => setWallets(null)} />;
  return { isPending: mutation.isPending, begin, giveUp: () => attempt.current?.abort(), choice };
}
