/** Button that starts an action signed by the browser's Solana wallet, with its wallet chooser and cancel button. */
import { Wallet } from "lucide-react";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { CancelWallet } from "./CancelWallet.tsx";
import type { useWalletAction } from "./use-wallet-action.tsx";

export function ConnectWallet({ wallet }: { wallet: ReturnType<typeof useWalletAction> }) {
  return (
    <>
      <div className="connecting">
        <SubmitButton
          type="button"
          className="btn-block"
          pending={wallet.isPending}
          pendingLabel="Connecting..."
          onClick={wallet.begin}
        >
          <Wallet className="i" aria-hidden="true" />
          Continue with Solana Wallet
        </SubmitButton>
        {wallet.isPending ? <CancelWallet onCancel={wallet.giveUp} /> : null}
      </div>
      {wallet.choice}
    </>
  );
}
