/** Whether a new account may be created. Accounts that exist sign in whatever the mode. */
import { AppError } from "./app-error.ts";
import type { CoreDeps } from "./core-deps.ts";

export type RegistrationDeps = Pick<CoreDeps, "registration">;

export type RegistrationRefusal = "registration_closed" | "invite_required";

/** @returns why no account may be created now; `null` if one may */
export async function findRefusal({ registration }: RegistrationDeps): Promise<RegistrationRefusal | null> {
  if (registration === "open") return null;
  return registration === "closed" ? "registration_closed" : "invite_required";
}

/** @throws AppError `registration_closed`, `invite_required` */
export async function requireAdmission(deps: RegistrationDeps): Promise<void> {
  const refusal = await findRefusal(deps);
  if (refusal !== null) throw new AppError(refusal);
}
