/** People one wrote to, with their public keys. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["contacts"];

export function useContacts() {
  return useQuery({ queryKey, queryFn: async () => (await call("listContacts")).contacts });
}

/** @param publicKey `null` if it is not known */
export const saveContact = (address: string, publicKey: string | null) =>
  call("putContact", { body: { address, publicKey } });

export function useContactCalls() {
  const client = useQueryClient();
  const refreshed = async <T>(request: Promise<T>): Promise<T> => {
    const result = await request;
    await client.invalidateQueries({ queryKey });
    return result;
  };
  return {
    forgetContact: (contactId: string) => refreshed(call("deleteContact", { params: { contactId } })),
    forgetAll: () => refreshed(call("deleteContacts")),
    refetch: () => client.invalidateQueries({ queryKey }),
  };
}
