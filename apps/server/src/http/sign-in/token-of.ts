import { AppError } from "../../core/app-error.ts";

/** A call of access `user` has one. @throws AppError `not_signed_in` */
export function tokenOf({ token }: { token: string | null }): string {
  if (token === null) throw new AppError("not_signed_in");
  return token;
}
