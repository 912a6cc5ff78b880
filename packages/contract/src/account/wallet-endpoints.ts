/** The call of sign-in by wallet; part of the route table in `endpoints.ts`. */
import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { userWire } from "./auth.ts";
import { walletBody } from "./wallet.ts";

export const walletEndpoints = {
  walletSignIn: {
    method: "POST",
    path: "/api/auth/wallet",
    summary:
      "Sign in by a Solana wallet: the address alone is answered 401 with a `challenge`, the signed challenge with the user",
    access: "anyone",
    body: walletBody,
    status: 200,
    answer: z.object({ user: userWire }),
  },
} as const satisfies Record<string, Endpoint>;
