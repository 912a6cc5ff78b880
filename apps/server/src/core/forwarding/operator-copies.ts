/** `postmaster` and `abuse` of each domain at the forwarding provider: they forward to `KAUKE_POSTMASTER`. */
import { type ProviderAccount, type ProviderCopy, ProviderError } from "./provider-account.ts";

const names = ["postmaster", "abuse"] as const;

/** `other`: made by somebody else, whatever it does; `stale`: ours, but it is off or goes elsewhere. */
export type OperatorCopyState = "ours" | "stale" | "other" | "missing";

export interface OperatorCopy {
  address: string;
  state: OperatorCopyState;
}

export interface OperatorCopyDeps {
  account: ProviderAccount;
  /** Where they forward to; `null`: they are left as they are. */
  postmaster: string | null;
}

/** @throws ProviderError */
export async function readOperatorCopies(
  { account, postmaster }: OperatorCopyDeps,
  domain: string,
  signal: AbortSignal,
): Promise<OperatorCopy[]> {
  const found: OperatorCopy[] = [];
  for (const name of names) {
    const address = `${name}@${domain}`;
    found.push({ address, state: stateOf(await account.copyAt(address, signal), postmaster) });
  }
  return found;
}

function stateOf(copy: ProviderCopy | null, postmaster: string | null): OperatorCopyState {
  if (copy === null) return "missing";
  if (copy.isOperators !== true) return "other";
  if (postmaster === null) return "stale";
  const [only, ...others] = copy.recipients;
  const isSame = others.length === 0 && only?.toLowerCase() === postmaster.toLowerCase();
  return isSame && copy.isEnabled ? "ours" : "stale";
}

/** Makes what is missing and mends what is ours. Domains that the account lacks are skipped. @throws ProviderError */
export async function keepOperatorCopies(
  deps: OperatorCopyDeps & { ownDomains: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const { account, ownDomains, postmaster } = deps;
  if (postmaster === null) return;
  for (const domain of ownDomains) {
    try {
      for (const { address, state } of await readOperatorCopies(deps, domain, signal))
        if (state === "missing" || state === "stale") await account.putOperatorCopy(address, postmaster, signal);
    } catch (thrown) {
      // The account may lack a domain until the operator has added it.
      if (!(thrown instanceof ProviderError) || thrown.problem !== "domain_missing") throw thrown;
    }
  }
}
