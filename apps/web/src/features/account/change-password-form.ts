/** The contract's change of a password, and the new one a second time. */
import { changePasswordBody } from "@kauke/contract";
import * as z from "zod";
import { passwordMismatch } from "../auth/register-form.ts";

export const changePasswordForm = z
  .object({ ...changePasswordBody.shape, confirmPassword: z.string() })
  .refine((form) => form.newPassword === form.confirmPassword, {
    path: ["confirmPassword"],
    message: passwordMismatch,
  });
