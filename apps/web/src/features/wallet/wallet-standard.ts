/** The Wallet Standard's two window events find wallets that load before or after the page. */
import type { WalletChallenge } from "@kauke/contract";

export interface WalletAccount {
  /** The account's address in base58. */
  address: string;
  chains: readonly string[];
}

export interface StandardWallet {
  name: string;
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

/** A feature of a wallet; `undefined` if the wallet lacks it. */
export function featureOf<N extends keyof Features>(wallet: StandardWallet, name: N): Features[N] | undefined {
  return wallet.features[name] as Features[N] | undefined;
}

export const isSolana = ({ chains }: { chains: readonly string[] }): boolean =>
  chains.some((chain) => chain.startsWith("solana:"));

/** Wallets of other chains register too, and any extension's script can. */
export function isUsable(wallet: StandardWallet): boolean {
  const { name, chains, features } = wallet;
  if (typeof name !== "string" || !Array.isArray(chains) || typeof features !== "object" || features === null)
    return false;
  const canSign = "solana:signIn" in wallet.features || "solana:signMessage" in wallet.features;
  return "standard:connect" in wallet.features && canSign && isSolana(wallet);
}

export interface WalletList {
  /** Wallets in the order in which they registered. */
  all(): readonly StandardWallet[];
  /** @returns function that unsubscribes */
  onArrival(listener: () => void): () => void;
}

/** @param target the window, except in tests */
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

export function pageWallets(): WalletList {
  return (ofThisPage ??= listWallets(window));
}
