/** Domains an alias can be made on; the first is the default. */
import { useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";

export function useDomains() {
  return useQuery({ queryKey: ["domains"], queryFn: async () => (await call("listDomains")).domains });
}
