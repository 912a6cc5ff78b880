/** The calls about passwords, the sign-in e-mail and signed-in devices; part of the route table in `endpoints.ts`. */
import * as z from "zod";
import type { EndpointShapes } from "../endpoint.ts";
import { userWire } from "./auth.ts";
import {
  changePasswordBody,
  emailConfirmationLink,
  loginSessionWire,
  passwordResetBody,
  passwordResetLink,
  passwordResetWish,
  signInLinkBody,
  signInWire,
} from "./sign-in.ts";

const message = z.object({ message: z.string() });

export const signInEndpoints = {
  askPasswordReset: {
    summary: "Have a link sent that sets a new password; answers the same whether there is an account or not",
    body: passwordResetWish,
    status: 202,
    answer: message,
  },
  readPasswordReset: {
    summary: "Whose password a reset link sets, as long as it works; changes nothing",
    body: passwordResetLink,
    status: 200,
    answer: z.object({ email: z.string() }),
  },
  resetPassword: {
    summary: "Set a new password by a reset link, once; every session of the account ends",
    body: passwordResetBody,
    status: 200,
    answer: message,
  },
  askSignInLink: {
    summary: "Have a link sent that signs in; answers the same whether there is an account or not",
    body: passwordResetWish,
    status: 202,
    answer: message,
  },
  readSignInLink: {
    summary: "Whom a sign-in link signs in, and whether it needs the password here; changes nothing",
    body: passwordResetLink,
    status: 200,
    answer: z.object({ email: z.string(), needsPassword: z.boolean() }),
  },
  signInByLink: {
    summary: "Sign in by a link that was sent, once",
    body: signInLinkBody,
    status: 200,
    answer: z.object({ user: userWire }),
  },
  getSignIn: {
    summary: "What leads into the account, and whether its e-mail is confirmed",
    status: 200,
    answer: signInWire,
  },
  changePassword: {
    summary: "Change the password; every other session ends, this one goes on under a new cookie",
    body: changePasswordBody,
    status: 200,
    answer: message,
  },
  askEmailConfirmation: {
    summary: "Have a link sent that confirms the e-mail of the account: three times a day",
    status: 200,
    answer: message,
  },
  confirmEmail: {
    summary: "Confirm the e-mail of the account by the link that was sent to it, once",
    body: emailConfirmationLink,
    status: 200,
    answer: signInWire,
  },
  listSessions: {
    summary: "Where the account is signed in, this session first",
    status: 200,
    answer: z.object({ sessions: z.array(loginSessionWire) }),
  },
  endSession: {
    summary: "End a session; ending the own one is signing out",
    params: z.object({ sessionId: z.string() }),
    status: 200,
    answer: message,
  },
  endOtherSessions: {
    summary: "End every session but this one",
    status: 200,
    answer: z.object({ message: z.string(), ended: z.number() }),
  },
} as const satisfies Record<string, EndpointShapes>;
