/** Schema for a new password and its confirmation. */
import { newPassword } from "@kauke/contract";
import * as z from "zod";
import { passwordMismatch } from "./register-form.ts";

export const newPasswordForm = z
  .object({ password: newPassword, confirmPassword: z.string() })
  .refine((form) => form.password === form.confirmPassword, { path: ["confirmPassword"], message: passwordMismatch });
