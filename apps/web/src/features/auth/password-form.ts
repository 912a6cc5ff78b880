/** Schema of the registration form: the contract's registration body plus the repeated password. */
import { authMessages, newPassword, registerBody } from "@kauke/contract";
import * as z from "zod";

export const passwordMismatch = "Passwords do not match";

export const registerForm = z
  .object({ ...registerBody.shape, confirmPassword: z.string() })
  .refine((form) => form.password === form.confirmPassword, { path: ["confirmPassword"], message: passwordMismatch });

export type RegisterValues = z.infer<typeof registerForm>;

interface Messages {
  password?: { message?: string };
  confirmPassword?: { message?: string };
}

/**
 * Toast for a registration whose form has errors: about passwords that differ, else about a short one; `null` for other
 * errors (specification section 8).
 */
export function refusalToast(errors: Messages): { title: string; description: string } | null {
  if (errors.confirmPassword) return { title: "Password Mismatch", description: passwordMismatch };
  if (errors.password?.message === authMessages.passwordShort)
    return { title: "Password Too Short", description: authMessages.passwordShort };
  return null;
}

/** Schema for a new password and its confirmation. */
export const newPasswordForm = z
  .object({ password: newPassword, confirmPassword: z.string() })
  .refine((form) => form.password === form.confirmPassword, { path: ["confirmPassword"], message: passwordMismatch });
