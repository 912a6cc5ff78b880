/** What is wrong with a new alias' name while it is being typed: the account has it already, or it is reserved. */
import { isAliasName } from "@kauke/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useAliases } from "../../../api/aliases.ts";
import { addressOf } from "../alias-text.ts";
import { reservedFailure } from "../create-failure.ts";
import { isReservedName } from "../reserved-name.ts";

/** Milliseconds without typing before a name is checked: `post` is reserved, but `postcards` is not. */
const SETTLE_MS = 400;

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Addresses of the account's aliases, in lower case. */
function useOwnAddresses(userId: string): ReadonlySet<string> {
  const { data } = useAliases(userId);
  return useMemo(() => new Set(data?.map((alias) => addressOf(alias).toLowerCase())), [data]);
}

/**
 * The problem of a typed alias name; `undefined` if there is none. Names of other accounts are not checked while
 * typing, since that would let anybody probe for names. The server refuses them when the alias is created.
 */
export function useNameProblem(userId: string, typed: string, domain: string): string | undefined {
  const name = typed.trim();
  const isJudged = useSettled(name) === name && isAliasName(name);
  const own = useOwnAddresses(userId);
  const { data: isReserved } = useQuery({
    queryKey: ["is-reserved-name", name.toLowerCase()],
    queryFn: () => isReservedName(name),
    enabled: isJudged,
  });
  if (!isJudged) return undefined;
  const address = addressOf({ alias: name, domain });
  if (own.has(address.toLowerCase())) return `You already have ${address}.`;
  return isReserved ? reservedFailure(name).description : undefined;
}
