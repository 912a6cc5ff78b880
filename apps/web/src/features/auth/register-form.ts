/** What the create-account form accepts: the contract's registration and the password a second time. */
import { authMessages, registerBody } from "@kauke/contract";
import * as z from "zod";

export const passwordMismatch = "Passwords do not match";

export const registerForm = z
  .object({ ...registerBody.shape, confirmPassword: z.string() })
  .refine((form) => form.password === form.confirmPassword, { path: ["confirmPassword"], message: passwordMismatch });

export type RegisterForm = z.infer<typeof registerForm>;

interface Messages {
  password?: { message?: string };
  confirmPassword?: { message?: string };
}

/** The toast that goes with refused input, if any: mismatch before shortness (specification section 8). */
export function refusalToast(errors: Messages): { title: string; description: string } | null {
  if (errors.confirmPassword) return { title: "Password Mismatch", description: passwordMismatch };
  if (errors.password?.message === authMessages.passwordShort)
    return { title: "Password Too Short", description: authMessages.passwordShort };
  return null;
}
