/** The contract's schema for a password change, plus the repeated new password. */
import { changePasswordBody } from "@kauke/contract";
import * as z from "zod";
import { passwordMismatch } from "../auth/register-form.ts";

export const changePasswordForm = z
  .object({ ...changePasswordBody.shape, confirmPassword: z.string() })
  .refine((form) => form.newPassword === form.confirmPassword, {
    path: ["confirmPassword"],
    message: passwordMismatch,
  });
