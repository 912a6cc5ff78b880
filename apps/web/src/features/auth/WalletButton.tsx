/** Signs in with a signature of the browser's Solana wallet. */
import { useLocation } from "wouter";
import { useWalletSignIn } from "../../api/session/wallet.ts";
import { pathAfterSignIn } from "../../app/path.ts";
import { ConnectWallet } from "../wallet/ConnectWallet.tsx";
import { useWalletAction } from "../wallet/use-wallet-action.tsx";

export function WalletButton() {
  const [, navigate] = useLocation();
  const wallet = useWalletAction(useWalletSignIn(), { onSuccess: () => navigate(pathAfterSignIn()) });
  return <ConnectWallet wallet={wallet} />;
}
