/** Dialog that asks which of several wallets to use. */
import { Wallet } from "lucide-react";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import type { StandardWallet } from "./wallet-standard.ts";

interface Props {
  wallets: readonly StandardWallet[];
  onChoose: (wallet: StandardWallet) => void;
  onClose: () => void;
}

/** A wallet's own icon. Only image data URLs are shown: any other source would cause a request or show nothing. */
function Icon({ source }: { source: string }) {
  if (typeof source !== "string" || !source.startsWith("data:image/")) return <Wallet className="i i-20" aria-hidden />;
  return <img src={source} alt="" width="20" height="20" />;
}

export function WalletDialog({ wallets, onChoose, onClose }: Props) {
  return (
    <Dialog title="Choose a wallet" description="Several Solana wallets are installed." onClose={onClose}>
      <ul className="body wallets">
        {wallets.map((wallet, at) => (
          // The React key is the index: names of wallets may be equal, and the list never changes while it is shown.
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
