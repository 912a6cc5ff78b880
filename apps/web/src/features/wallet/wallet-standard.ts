/**
 * Finds the browser's wallets by the two window events of the Wallet Standard, in any load order: a wallet that loads
 * after the page sends `register-wallet`, one that was there before answers the page's `app-ready`.
 */
import type { WalletChallenge } from "@kauke/contract";

export interface WalletAccount {
  /** Base58 address of the account. */
  address: string;
  chains: readonly string[];
}

export interface StandardWallet {
  name: string;
  /** Icon as a data: URL of an image. */
  icon: string;
  chains: readonly string[];
  accounts: readonly WalletAccount[];
  features: Readonly<Record<string, unknown>>;
}

interface Signed {
  signedMessage: Uint8Array;
  signature: Uint8Array;
}

interface Features {
  "standard:connect": { connect(input?: { silent?: boolean }): Promise<{ accounts: readonly WalletAccount[] }> };
  "solana:signIn": { signIn(input: WalletChallenge & { address: string }): Promise<readonly Signed[]> };
  "solana:signMessage": {
    signMessage(input: { account: WalletAccount; message: Uint8Array }): Promise<readonly Signed[]>;
  };
}

/** A wallet's feature by its name; `undefined` if the wallet does not have it. */
export function featureOf<N extends keyof Features>(wallet: StandardWallet, name: N): Features[N] | undefined {
  return wallet.features[name] as Features[N] | undefined;
}

export const isSolana = ({ chains }: { chains: readonly string[] }): boolean =>
  chains.some((chain) => chain.startsWith("solana:"));

/** Whether the wallet can sign in to Kauke. Wallets of other chains register too, and any extension's script can. */
export function isUsable(wallet: StandardWallet): boolean {
  const { name, chains, features } = wallet;
  if (typeof name !== "string" || !Array.isArray(chains) || typeof features !== "object" || features === null)
    return false;
  const canSign = "solana:signIn" in wallet.features || "solana:signMessage" in wallet.features;
  return "standard:connect" in wallet.features && canSign && isSolana(wallet);
}

export interface WalletList {
  /** The usable wallets, in the order they registered. */
  all(): readonly StandardWallet[];
  /** Calls the listener whenever usable wallets register from now on. @returns function that unsubscribes */
  onArrival(listener: () => void): () => void;
}

/** Starts listening for wallets. @param target the window; another event target in tests */
export function listWallets(target: EventTarget): WalletList {
  const wallets = new Set<StandardWallet>();
  const listeners = new Set<() => void>();
  const register = (...arrived: StandardWallet[]): (() => void) => {
    for (const wallet of arrived) wallets.add(wallet);
    if (arrived.some(isUsable)) for (const listener of Array.from(listeners)) listener();
    return () => {
      for (const wallet of arrived) wallets.delete(wallet);
    };
  };
  const api = Object.freeze({ register });
  target.addEventListener("wallet-standard:register-wallet", (event) => {
    (event as CustomEvent<(given: typeof api) => void>).detail(api);
  });
  target.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
  return {
    all: () => [...wallets].filter(isUsable),
    onArrival: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

let ofThisPage: WalletList | null = null;

/** The page's list of wallets; the first call starts listening. */
export function pageWallets(): WalletList {
  return (ofThisPage ??= listWallets(window));
}
