/** Route of sign-in by wallet; part of the table in `endpoints.ts`. */
import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { userWire } from "./auth.ts";
import { walletBody } from "./wallet.ts";

export const walletEndpoints = {
  walletSignIn: {
    method: "POST",
    path: "/api/auth/wallet",
    summary:
      "Sign in by a Solana wallet: the address alone gets 401 with a `challenge`, the signed challenge gets the user",
    access: "anyone",
    body: walletBody,
    status: 200,
    answer: z.object({ user: userWire }),
  },
} as const satisfies Record<string, Endpoint>;
