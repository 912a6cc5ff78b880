/** Private keys travel only encrypted with their master password, and are never cached. */
import type { CreateEncryptionKeyBody, EncryptionKeyWire } from "@kauke/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["encryption-keys"];

export function useEncryptionKeys() {
  return useQuery({ queryKey, queryFn: async () => (await call("listEncryptionKeys")).keys });
}

/** @returns the private key as an age file encrypted with the master password */
export async function readProtectedKey(keyId: string): Promise<string> {
  return (await call("readProtectedKey", { params: { keyId } })).encryptedPrivateKey;
}

/** Fields that are sent to store a new key, never a password. */
type WrappedKey = Required<Pick<CreateEncryptionKeyBody, "keyName" | "publicKey" | "encryptedPrivateKey">>;

export function useEncryptionKeyCalls() {
  const client = useQueryClient();
  const refreshed = async <T>(request: Promise<T>): Promise<T> => {
    const result = await request;
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
