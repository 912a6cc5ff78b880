/** The account's encryption keys as far as forwarding sealed needs them. */
import { useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";

/** Newest first; shares its place in the cache with everything else that lists the keys. */
export function useSealingKeys() {
  return useQuery({ queryKey: ["encryption-keys"], queryFn: async () => (await call("listEncryptionKeys")).keys });
}
