import type { SignInWire } from "@kauke/contract";

/** How one signs in without a password. */
export function otherWaysText({ hasGoogle, hasWallet }: Pick<SignInWire, "hasGoogle" | "hasWallet">): string {
  const ways = [...(hasGoogle ? ["your Google account"] : []), ...(hasWallet ? ["your wallet"] : [])];
  return ways.length === 0 ? "" : `You sign in with ${ways.join(" or ")}.`;
}
