/** Federated sign-ins under way: rows of `one_time_token`, each gone with its use or with its time. */
import type { FlowSecrets } from "../core/user/federated-issuer.ts";
import type { SignInFlowStore } from "../core/user/sign-in-flow.ts";
import type { StoreContext } from "./store-context.ts";

const KIND = "google";

export function signInFlowStore({ db, keys, clock }: StoreContext): SignInFlowStore {
  const rowId = (tokenHash: Buffer) => tokenHash.toString("hex");
  return {
    keep: async (tokenHash, secrets, expiresAt) => {
      const sealed = keys.seal("one_time_token", rowId(tokenHash), secrets);
      const plain = {
        token_hash: tokenHash,
        kind: KIND,
        user_id: null,
        created_at: clock.now(),
        expires_at: expiresAt,
      };
      await db
        .insertInto("one_time_token")
        .values({ ...plain, sealed })
        .execute();
    },
    take: async (tokenHash) => {
      const row = await db
        .deleteFrom("one_time_token")
        .where("token_hash", "=", tokenHash)
        .where("kind", "=", KIND)
        .where("expires_at", ">", clock.now())
        .returning("sealed")
        .executeTakeFirst();
      if (row === undefined || row.sealed === null) return null;
      return keys.open<FlowSecrets>("one_time_token", rowId(tokenHash), row.sealed);
    },
  };
}
