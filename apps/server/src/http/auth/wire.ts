import type { UserWire } from "@kauke/contract";
import type { User } from "../../core/user/user.ts";

/** The user on the wire. Lists every field, so that a new secret field of the user is not returned by accident. */
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
