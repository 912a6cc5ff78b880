/** Route of sign-in by wallet; part of the table in `endpoints.ts`. */
import * as z from "zod";
import type { EndpointShapes } from "../endpoint.ts";
import { userWire } from "./auth.ts";
import { walletBody } from "./wallet.ts";

export const walletEndpoints = {
  walletSignIn: {
    summary:
      "Sign in by a Solana wallet: the address alone gets 401 with a `challenge`, the signed challenge gets the user",
    body: walletBody,
    status: 200,
    errors: [401, 429],
    answer: z.object({ user: userWire }),
  },
} as const satisfies Record<string, EndpointShapes>;
