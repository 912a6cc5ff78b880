/**
 * The account's encryption keys: public keys, names and which is the default. Private keys are transferred only
 * encrypted with their master password, and are never cached.
 */
import type { CreateEncryptionKeyBody, EncryptionKeyWire } from "@kauke/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["encryption-keys"];

/** Query for the account's encryption keys, newest first. */
export function useEncryptionKeys() {
  return useQuery({ queryKey, queryFn: async () => (await call("listEncryptionKeys")).keys });
}

/** Fetches a private key as it is stored: an age file encrypted with the master password. */
export async function readProtectedKey(keyId: string): Promise<string> {
  return (await call("readProtectedKey", { params: { keyId } })).encryptedPrivateKey;
}

/** The fields that the browser sends for a new key; no password is among them. */
type WrappedKey = Required<Pick<CreateEncryptionKeyBody, "keyName" | "publicKey" | "encryptedPrivateKey">>;

/** The calls that change the list of keys. Each one refetches the list, and rejects if its request fails. */
export function useEncryptionKeyCalls() {
  const client = useQueryClient();
  const refreshed = async <T>(answer: Promise<T>): Promise<T> => {
    const result = await answer;
    await client.invalidateQueries({ queryKey });
    return result;
  };
  return {
    storeKey: async (key: WrappedKey): Promise<EncryptionKeyWire> =>
      (await refreshed(call("createEncryptionKey", { body: key }))).key,
    makeDefault: (keyId: string) => refreshed(call("makeKeyDefault", { params: { keyId } })),
    deleteKey: (keyId: string) => refreshed(call("deleteEncryptionKey", { params: { keyId } })),
  };
}
