/**
 * The account's encryption keys: public keys, names and which is the default. Private keys pass through here only under their
 * master password, and into no cache.
 */
import type { CreateEncryptionKeyBody, EncryptionKeyWire } from "@kauke/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["encryption-keys"];

/** Newest first. */
export function useEncryptionKeys() {
  return useQuery({ queryKey, queryFn: async () => (await call("listEncryptionKeys")).keys });
}

/** @returns the age file under the master password, as it is stored */
export async function readProtectedKey(keyId: string): Promise<string> {
  return (await call("readProtectedKey", { params: { keyId } })).encryptedPrivateKey;
}

/** What the browser sends of a new key: no password is among it. */
type WrappedKey = Required<Pick<CreateEncryptionKeyBody, "keyName" | "publicKey" | "encryptedPrivateKey">>;

/** The calls that change the list; each asks for it again, and fails as the call does. */
export function useEncryptionKeyCalls() {
  const client = useQueryClient();
  const refreshed = async <T>(answer: Promise<T>): Promise<T> => {
    const it = await answer;
    await client.invalidateQueries({ queryKey });
    return it;
  };
  return {
    storeKey: async (key: WrappedKey): Promise<EncryptionKeyWire> =>
      (await refreshed(call("createEncryptionKey", { body: key }))).key,
    makeDefault: (keyId: string) => refreshed(call("makeKeyDefault", { params: { keyId } })),
    deleteKey: (keyId: string) => refreshed(call("deleteEncryptionKey", { params: { keyId } })),
  };
}
