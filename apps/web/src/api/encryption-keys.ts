/**
 * The account's encryption keys: public keys, names and which is the default. Private keys pass through here only under their
 * master password, and into no cache.
 */
import type { CreateEncryptionKeyBody, EncryptionKeyWire } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
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

/** What the browser may send of a new key: no password among it. */
type WrappedKey = Required<Pick<CreateEncryptionKeyBody, "keyName" | "publicKey" | "encryptedPrivateKey">>;

/** The calls that change the list; each asks for it again. */
export function useEncryptionKeyCalls() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey });
  const storeKey = useMutation({
    mutationFn: async (key: WrappedKey): Promise<EncryptionKeyWire> =>
      (await call("createEncryptionKey", { body: key })).key,
    onSuccess: refresh,
    // The wrapped key needs no longer life here than the call.
    gcTime: 0,
  });
  const makeDefault = useMutation({
    mutationFn: (keyId: string) => call("makeKeyDefault", { params: { keyId } }),
    onSuccess: refresh,
  });
  const deleteKey = useMutation({
    mutationFn: (keyId: string) => call("deleteEncryptionKey", { params: { keyId } }),
    onSuccess: refresh,
  });
  return { storeKey, makeDefault, deleteKey };
}
