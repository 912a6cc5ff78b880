/** Signs nobody in; removes a stored address that no wallet shares any more, unprompted (specification section 4). */
import { featureOf, isSolana, pageWallets, type StandardWallet, type WalletList } from "./wallet-standard.ts";

type Storage = Pick<globalThis.Storage, "getItem" | "removeItem">;

export async function reconnectTrusted(
  wallets: WalletList = pageWallets(),
  storage: Storage = localStorage,
): Promise<void> {
  if (wallets.all().length === 0) await arrivalIn(wallets);
  const stored = storage.getItem("walletAddress");
  if (stored === null) return;
  const trusted = (await Promise.all(wallets.all().map(trustedAddresses))).flat();
  // The user may have signed in or out while the wallets were asked.
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
    const connected = await featureOf(wallet, "standard:connect")?.connect({ silent: true });
    return (connected?.accounts ?? []).filter(isSolana).map(({ address }) => address);
  } catch {
    return [];
  }
}
