/**
 * The silent reconnect at start (specification section 4): asks the wallets, without a word to the person, which address they
 * trust this page with. It proves nothing and signs nobody in: only an address stored here that every wallet has lost goes.
 */
import { featureOf, isSolana, pageWallets, type StandardWallet, type WalletList } from "./wallet-standard.ts";

type Storage = Pick<globalThis.Storage, "getItem" | "removeItem">;

/** Without a wallet there is nothing to compare with: the first one that comes is asked. */
export async function reconnectTrusted(
  wallets: WalletList = pageWallets(),
  storage: Storage = localStorage,
): Promise<void> {
  if (wallets.all().length === 0) await arrivalIn(wallets);
  const stored = storage.getItem("walletAddress");
  if (stored === null) return;
  const trusted = (await Promise.all(wallets.all().map(trustedAddresses))).flat();
  // Somebody may have signed in or out meanwhile.
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
