/** Query for the domains an alias can be created on; the first is the default. */
import { useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";

export function useDomains() {
  return useQuery({ queryKey: ["domains"], queryFn: async () => (await call("listDomains")).domains });
}
