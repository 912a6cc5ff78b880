import type { SignInWire } from "@kauke/contract";

/** Sentence that names the account's sign-in methods other than a password. */
export function otherWaysText({ hasGoogle, hasWallet }: Pick<SignInWire, "hasGoogle" | "hasWallet">): string {
  const ways = [...(hasGoogle ? ["your Google account"] : []), ...(hasWallet ? ["your wallet"] : [])];
  return ways.length === 0 ? "" : `You sign in with ${ways.join(" or ")}.`;
}
