import type { CoreDeps } from "../core-deps.ts";
import type { User } from "./user.ts";

const nothingKnown = {
  email: null,
  walletAddress: null,
  googleId: null,
  emailConfirmedAt: null,
  passwordHash: null,
  firstName: null,
  lastName: null,
  profileImageUrl: null,
  balanceCents: 0,
} as const;

/** Builds an account created now, not yet stored; fields not given are `null` or zero. */
export function newUser(
  { random, clock }: Pick<CoreDeps, "random" | "clock">,
  known: Partial<User> & Pick<User, "authMethod">,
): User {
  const now = clock.now();
  return { ...nothingKnown, id: random.uuid(), createdAt: now, updatedAt: now, ...known };
}
