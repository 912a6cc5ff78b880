/** Of several wallets the user chooses one, and can cancel the wait. */
import { walletMessages } from "@kauke/contract";
import { Wallet } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import type { WalletSigner } from "../../api/session/sign-in.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { connectWallet, signChallenge, waitForWallet } from "./prove-wallet.ts";
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
  /** The dialog in which the user chooses one of several wallets. */
  choice: ReactNode;
}

/** Runs a wallet's action, cancelled on unmount. @param onError by default a toast */
export function useWalletAction(
  mutation: WalletMutation,
  { onSuccess, onError }: { onSuccess: () => void; onError?: (error: Error) => void },
): WalletAction {
  const [wallets, setWallets] = useState<readonly StandardWallet[] | null>(null);
  const attempt = useRef<AbortController>(null);
  useEffect(() => () => attempt.current?.abort(), []);
  // Loaded before the click, so that late wallets are known by then.
  useEffect(() => void pageWallets(), []);
  const sayFailure = onError ?? ((error: Error) => showFailure(t("Connection Failed"), walletFailureText(error)));
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
    if (first === undefined) showFailure(t("Connection Failed"), walletNotFound);
    else if (all.length === 1) start(first);
    else setWallets(all);
  };
  const choice =
    wallets === null ? null : <WalletDialog wallets={wallets} onChoose={start} onClose={() => setWallets(null)} />;
  return { isPending: mutation.isPending, begin, giveUp: () => attempt.current?.abort(), choice };
}

interface Props {
  wallets: readonly StandardWallet[];
  onChoose: (wallet: StandardWallet) => void;
  onClose: () => void;
}

/** A wallet's icon, only as an image data URL: others would cause a request or show nothing. */
function Icon({ source }: { source: string }) {
  if (typeof source !== "string" || !source.startsWith("data:image/")) return <Wallet className="i i-20" aria-hidden />;
  return <img src={source} alt="" width="20" height="20" />;
}

function WalletDialog({ wallets, onChoose, onClose }: Props) {
  return (
    <Dialog title={t("Choose a wallet")} description={t("Several Solana wallets are installed.")} onClose={onClose}>
      <ul className="body wallets">
        {wallets.map((wallet, at) => (
          // Keyed by index: names may be equal, and the list never changes.
          <li key={at}>
            <button type="button" className="btn btn-block" onClick={() => onChoose(wallet)}>
              <Icon source={wallet.icon} />
              {wallet.name}
            </button>
          </li>
        ))}
      </ul>
      <DialogFooter onCancel={onClose} />
    </Dialog>
  );
}

const walletNotFound = t("Solana wallet not found. Please install Phantom or another Solana wallet.");

/** Why a wallet's action failed: of the server's texts only a rate limit, a missing invite, and that it is unreachable. */
export function walletFailureText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("Failed to connect wallet");
  const isShown = error.rateLimited || error.status === 0 || error.status === 403;
  return said(isShown ? error.message : walletMessages.failed);
}
