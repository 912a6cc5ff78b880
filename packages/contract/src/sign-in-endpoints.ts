/** The calls about passwords, the sign-in e-mail and signed-in devices; part of the route table in `endpoints.ts`. */
import * as z from "zod";
import type { Endpoint } from "./endpoint.ts";
import {
  changePasswordBody,
  emailConfirmationLink,
  loginSessionWire,
  passwordResetBody,
  passwordResetLink,
  passwordResetWish,
  signInWire,
} from "./sign-in.ts";

const message = z.object({ message: z.string() });

export const signInEndpoints = {
  askPasswordReset: {
    method: "POST",
    path: "/api/auth/password-reset/message",
    summary: "Have a link sent that sets a new password; answers the same whether there is an account or not",
    access: "anyone",
    body: passwordResetWish,
    status: 202,
    answer: message,
  },
  readPasswordReset: {
    method: "POST",
    path: "/api/auth/password-reset/state",
    summary: "Whose password a reset link sets, as long as it works; changes nothing",
    access: "anyone",
    body: passwordResetLink,
    status: 200,
    answer: z.object({ email: z.string() }),
  },
  resetPassword: {
    method: "POST",
    path: "/api/auth/password-reset",
    summary: "Set a new password by a reset link, once; every session of the account ends",
    access: "anyone",
    body: passwordResetBody,
    status: 200,
    answer: message,
  },
  getSignIn: {
    method: "GET",
    path: "/api/account/sign-in",
    summary: "What leads into the account, and whether its e-mail is confirmed",
    access: "user",
    status: 200,
    answer: signInWire,
  },
  changePassword: {
    method: "POST",
    path: "/api/account/password",
    summary: "Change the password; every other session ends, this one goes on under a new cookie",
    access: "user",
    body: changePasswordBody,
    status: 200,
    answer: message,
  },
  askEmailConfirmation: {
    method: "POST",
    path: "/api/account/email-confirmation/message",
    summary: "Have a link sent that confirms the e-mail of the account: three times a day",
    access: "user",
    status: 200,
    answer: message,
  },
  confirmEmail: {
    method: "POST",
    path: "/api/account/email-confirmation",
    summary: "Confirm the e-mail of the account by the link that was sent to it, once",
    access: "user",
    body: emailConfirmationLink,
    status: 200,
    answer: signInWire,
  },
  listSessions: {
    method: "GET",
    path: "/api/auth/sessions",
    summary: "Where the account is signed in, this session first",
    access: "user",
    status: 200,
    answer: z.object({ sessions: z.array(loginSessionWire) }),
  },
  endSession: {
    method: "DELETE",
    path: "/api/auth/sessions/:sessionId",
    summary: "End a session; ending the own one is signing out",
    access: "user",
    params: z.object({ sessionId: z.string() }),
    status: 200,
    answer: message,
  },
  endOtherSessions: {
    method: "DELETE",
    path: "/api/auth/sessions",
    summary: "End every session but this one",
    access: "user",
    status: 200,
    answer: z.object({ message: z.string(), ended: z.number() }),
  },
} as const satisfies Record<string, Endpoint>;
