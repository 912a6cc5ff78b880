/**
 * The silent reconnect at start (specification section 4): asks the wallets, without a prompt, which addresses they
 * have already shared with this page. It signs nobody in; it only removes a stored address that no wallet has any more.
 */
import { featureOf, isSolana, pageWallets, type StandardWallet, type WalletList } from "./wallet-standard.ts";

type Storage = Pick<globalThis.Storage, "getItem" | "removeItem">;

/** Waits for a wallet if there is none yet, then removes the stored address unless a wallet still shares it. */
export async function reconnectTrusted(
  wallets: WalletList = pageWallets(),
  storage: Storage = localStorage,
): Promise<void> {
  if (wallets.all().length === 0) await arrivalIn(wallets);
  const stored = storage.getItem("walletAddress");
  if (stored === null) return;
  const trusted = (await Promise.all(wallets.all().map(trustedAddresses))).flat();
  // Read the stored address again: the user may have signed in or out while the wallets were asked.
  if (!trusted.includes(stored) && storage.getItem("walletAddress") === stored) storage.removeItem("walletAddress");
}

function arrivalIn(wallets: WalletList): Promise<void> {
  return new Promise((resolve) => {
    const end = wallets.onArrival(() => {
      end();
      resolve();
    });
  });
}

async function trustedAddresses(wallet: StandardWallet): Promise<string[]> {
  try {
    const answer = await featureOf(wallet, "standard:connect")?.connect({ silent: true });
    return (answer?.accounts ?? []).filter(isSolana).map(({ address }) => address);
  } catch {
    return [];
  }
}
