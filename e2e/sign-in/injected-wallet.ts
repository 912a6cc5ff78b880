/**
 * A Solana wallet as an extension injects it into each page: answers both events of the Wallet Standard, signs with a
 * key of WebCrypto, builds the text of a sign-in itself, and refuses to sign for another host than the page's.
 */
import { makeWalletKey, type WalletKey } from "@kauke/testkit/wallet-key";
import type { Page } from "playwright-core";

export interface InjectedWallet {
  key: WalletKey;
  name: string;
  /** The method of signing that the wallet supports. */
  signs: "signIn" | "signMessage";
  /** The step that the wallet's owner refuses. */
  refuses?: "connect" | "sign";
  /** Address returned for a silent connect; by default the wallet's own, once this page was connected. */
  trusts?: string;
  /** Key that signs, whichever account the wallet shows. */
  signsWith?: WalletKey;
  /** Whether the wallet registers only on `window.announceWallet()`, after the page's own scripts. */
  late?: boolean;
  /** Whether the wallet waits for `window.letSign()` before it signs. */
  waits?: boolean;
}

export function aWallet(change: Partial<InjectedWallet> = {}): InjectedWallet {
  return { key: makeWalletKey(), name: "Test Wallet", signs: "signIn", ...change };
}

/** Injects the wallet into every page opened from now on. */
export async function injectWallet(page: Page, wallet: InjectedWallet): Promise<void> {
  const { key, signsWith, ...rest } = wallet;
  const given = { ...rest, address: key.address, privateKey: (signsWith ?? key).exported };
  await page.addInitScript({ content: `(${script})(${JSON.stringify(given)})` });
}

const script = `async (given) => {
  const trustKey = "wallet of " + given.name;
  const bytes = Uint8Array.from(atob(given.privateKey), (sign) => sign.charCodeAt(0));
  const key = crypto.subtle.importKey("pkcs8", bytes, "Ed25519", false, ["sign"]);
  const account = { address: given.address, publicKey: new Uint8Array(32), chains: ["solana:mainnet"], features: [] };
  const refuse = () => Promise.reject(new Error("User rejected the request."));
  const silently = () => {
    const address = given.trusts ?? sessionStorage.getItem(trustKey);
    return { accounts: address === null ? [] : [{ ...account, address }] };
  };
  const sign = async (text) => {
    if (given.refuses === "sign") return refuse();
    if (given.waits) await new Promise((resolve) => { window.letSign = resolve; });
    const signedMessage = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", await key, signedMessage));
    return [{ account, signedMessage, signature, signatureType: "ed25519" }];
  };
  const signIn = (input) => {
    if (input.domain !== location.host || new URL(input.uri).host !== location.host) return refuse();
    const fields = [["URI", input.uri], ["Version", input.version], ["Chain ID", input.chainId], ["Nonce", input.nonce],
      ["Issued At", input.issuedAt], ["Expiration Time", input.expirationTime]];
    const head = input.domain + " wants you to sign in with your Solana account:\\n" + input.address;
    return sign(head + "\\n\\n" + input.statement + "\\n\\n" + fields.map((it) => it.join(": ")).join("\\n"));
  };
  const connect = async (input) => {
    (window.walletCalls ??= []).push(input?.silent === true ? "silent" : "loud");
    if (input?.silent) return silently();
    if (given.refuses === "connect") return refuse();
    sessionStorage.setItem(trustKey, given.address);
    return { accounts: [account] };
  };
  const wallet = {
    version: "1.0.0",
    name: given.name,
    icon: "data:image/svg+xml;base64," + btoa("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><circle cx='.5' cy='.5' r='.5' fill='#7b5'/></svg>"),
    chains: ["solana:mainnet"],
    accounts: [],
    features: {
      "standard:connect": { version: "1.0.0", connect },
      "standard:events": { version: "1.0.0", on: () => () => {} },
      ["solana:" + given.signs]: given.signs === "signIn"
        ? { version: "1.0.0", signIn }
        : { version: "1.0.0", signMessage: ({ message }) => sign(message) },
    },
  };
  const announce = () => {
    const register = (api) => api.register(wallet);
    window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
    window.addEventListener("wallet-standard:app-ready", (event) => register(event.detail));
  };
  if (given.late) window.announceWallet = announce;
  else announce();
}`;
