import { AppError } from "../../core/app-error.ts";

/** The session token, which calls with access `user` always have. @throws AppError `not_signed_in` */
export function tokenOf({ token }: { token: string | null }): string {
  if (token === null) throw new AppError("not_signed_in");
  return token;
}
