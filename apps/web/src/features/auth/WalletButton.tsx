/** Signs in with a signature of the browser's Solana wallet. */
import { useLocation } from "wouter";
import { useWalletSignIn } from "../../api/session/wallet.ts";
import { ConnectWallet } from "../wallet/ConnectWallet.tsx";
import { useWalletAction } from "../wallet/use-wallet-action.tsx";

export function WalletButton() {
  const [, navigate] = useLocation();
  return <ConnectWallet wallet={useWalletAction(useWalletSignIn(), { onSuccess: () => navigate("/dashboard") })} />;
}
