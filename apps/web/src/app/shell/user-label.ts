import type { UserWire } from "@kauke/contract";
import { splitAtSign } from "@kauke/contract/split-address";
import { t } from "../../texts/texts.ts";

type Named = Pick<UserWire, "email" | "walletAddress">;

/** @example userLabel(user) // "jonas", without an e-mail "7xKp3Q…9mVt2d", else "User" */
export function userLabel({ email, walletAddress }: Named): string {
  const { local } = splitAtSign(email ?? "");
  if (local !== "") return local;
  return walletAddress ? walletLabel(walletAddress) : t("User");
}

/** @example walletLabel(address) // "7xKp3Q…9mVt2d" */
export function walletLabel(walletAddress: string): string {
  return `${walletAddress.slice(0, 6)}…${walletAddress.slice(-6)}`;
}

/** @returns the balance, e.g. `$12.50`; `null` unless it is above zero */
export function balanceText(balance: string): string | null {
  const amount = Number(balance);
  return amount > 0 && Number.isFinite(amount) ? `$${amount.toFixed(2)}` : null;
}
