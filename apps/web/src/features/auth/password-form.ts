import { authMessages, newPassword, registerBody } from "@kauke/contract";
import * as z from "zod";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";

export const passwordMismatch = t("Passwords do not match");

export const registerForm = z
  .object({ ...registerBody.shape, confirmPassword: z.string() })
  .refine((form) => form.password === form.confirmPassword, { path: ["confirmPassword"], message: passwordMismatch });

export type RegisterValues = z.infer<typeof registerForm>;

interface Messages {
  password?: { message?: string };
  confirmPassword?: { message?: string };
}

/** The toast names different passwords before a short one (specification section 8). */
export function refusalToast(errors: Messages): { title: string; description: string } | null {
  if (errors.confirmPassword) return { title: t("Password Mismatch"), description: passwordMismatch };
  if (errors.password?.message === authMessages.passwordShort)
    return { title: t("Password Too Short"), description: said(authMessages.passwordShort) };
  return null;
}

export const newPasswordForm = z
  .object({ password: newPassword, confirmPassword: z.string() })
  .refine((form) => form.password === form.confirmPassword, { path: ["confirmPassword"], message: passwordMismatch });
