/** Routes for passwords, the e-mail used to sign in, and signed-in devices; part of the table in `endpoints.ts`. */
import * as z from "zod";
import type { EndpointShapes } from "../endpoint.ts";
import { userWire } from "./auth.ts";
import {
  changePasswordBody,
  emailConfirmationLink,
  loginSessionWire,
  passwordResetBody,
  passwordResetLink,
  passwordResetRequest,
  signInLinkBody,
  signInWire,
} from "./sign-in.ts";

const message = z.object({ message: z.string() });

export const signInEndpoints = {
  askPasswordReset: {
    summary: "Send a link that sets a new password; the answer is the same whether there is an account or not",
    body: passwordResetRequest,
    status: 202,
    answer: message,
  },
  readPasswordReset: {
    summary: "E-mail of the account whose password a reset link sets, while the link is valid; changes nothing",
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
    summary: "Send a link that signs in; the answer is the same whether there is an account or not",
    body: passwordResetRequest,
    status: 202,
    answer: message,
  },
  readSignInLink: {
    summary:
      "E-mail of the account a sign-in link is for, and whether this browser needs the password too; changes nothing",
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
    summary: "Ways to sign in to the account, and whether its e-mail is confirmed",
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
    summary: "Send a link that confirms the e-mail of the account; at most three times a day",
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
    summary: "End a session; ending the session that makes the request signs out",
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
