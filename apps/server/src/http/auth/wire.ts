import type { UserWire } from "@kauke/contract";
import type { User } from "../../core/user/user.ts";

/** Names every field it shows, so that a new secret on the user never reaches the wire by itself. */
export function userToWire(user: User): UserWire {
  return {
    id: user.id,
    email: user.email,
    walletAddress: user.walletAddress,
    authMethod: user.authMethod,
    firstName: user.firstName,
    lastName: user.lastName,
    profileImageUrl: user.profileImageUrl,
    balance: (user.balanceCents / 100).toFixed(2),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}
