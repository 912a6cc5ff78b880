/** Signs in with a signature of the browser's Solana wallet. */
import { useWalletSignIn } from "../../api/session/wallet.ts";
import { ConnectWallet } from "../wallet/ConnectWallet.tsx";
import { useWalletAction } from "../wallet/use-wallet-action.tsx";
import { useAfterSignIn } from "./after-sign-in.ts";

export function WalletButton() {
  const wallet = useWalletAction(useWalletSignIn(), { onSuccess: useAfterSignIn() });
  return <ConnectWallet wallet={wallet} />;
}
