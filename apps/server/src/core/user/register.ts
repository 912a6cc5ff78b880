import { clientBlock } from "../connection/client-network.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { newUser } from "./new-user.ts";
import type { User } from "./user.ts";

export interface Registration {
  email: string;
  password: string;
  clientAddress: string;
}

/**
 * Creates an account with a password. The password is hashed before the e-mail is looked up, so the response takes as
 * long for a taken e-mail as for a free one.
 * @throws AppError `email_taken`, `rate_limited`, `busy`
 */
export async function register(
  deps: Pick<CoreDeps, "users" | "hasher" | "random" | "clock" | "rateLimits" | "limitRules">,
  { email, password, clientAddress }: Registration,
): Promise<User> {
  await takeLimit(deps, "register", { ipAddress: clientAddress });
  const passwordHash = await deps.hasher.hash(password, { party: clientBlock(clientAddress), isKnown: false });
  const user = newUser(deps, { authMethod: "email", email, passwordHash });
  await deps.users.insert(user, clientAddress);
  return user;
}
