/** The proven domains of all accounts in memory: read when the store opens, and again when a row changes anywhere. */
import type { ProvenDomains } from "../../../core/domain/account-domain.ts";
import type { Logger } from "../../../runtime/ports.ts";
import type { StoreContext } from "../../store-context.ts";
import { openAccountDomain } from "./account-domains.ts";

/** Pause after the database failed to answer, before the rows are read again. */
const RETRY_MS = 1000;

interface Proven {
  id: string;
  userId: string;
  domain: string;
}

export interface ProvenDomainsInMemory extends ProvenDomains {
  close(): void;
}

export async function openProvenDomains(
  context: StoreContext,
  logger: Logger | undefined,
): Promise<ProvenDomainsInMemory> {
  const known = new KnownDomains();
  let retry: NodeJS.Timeout | null = null;

  const read = async (domainId: string | "all") => {
    const rows = await readProven(context, domainId);
    if (domainId === "all") known.clear();
    else known.delete(domainId);
    for (const row of rows) known.add(row);
  };
  const readLater = () => {
    logger?.warn("proven_domains_not_read");
    retry ??= setTimeout(() => {
      retry = null;
      void refresh("all");
    }, RETRY_MS).unref();
  };
  const first = read("all");
  // One after another, so that an older result never replaces a newer one.
  let reading = first.catch(() => {});
  const refresh = (domainId: string | "all") => {
    reading = reading.then(() => read(domainId)).catch(readLater);
    return reading;
  };

  context.signals.onDomainChange(refresh);
  await first;
  return {
    find: (domain) => known.find(domain),
    ofAccount: (userId) => known.ofAccount(userId),
    close: () => {
      if (retry !== null) clearTimeout(retry);
    },
  };
}

async function readProven({ db, keys }: StoreContext, domainId: string | "all"): Promise<Proven[]> {
  let proven = db.selectFrom("account_domain").select(["id", "user_id", "sealed"]).where("state", "=", "proven");
  if (domainId !== "all") proven = proven.where("id", "=", domainId);
  const rows = await proven.execute();
  return rows.map((row) => ({ id: row.id, userId: row.user_id, domain: openAccountDomain(keys, row).domain }));
}

class KnownDomains implements ProvenDomains {
  readonly #byDomain = new Map<string, Proven>();
  readonly #byId = new Map<string, Proven>();
  readonly #ofAccount = new Map<string, string[]>();

  find(domain: string): Proven | null {
    return this.#byDomain.get(domain) ?? null;
  }

  ofAccount(userId: string): readonly string[] {
    return this.#ofAccount.get(userId) ?? [];
  }

  add(row: Proven): void {
    this.#byDomain.set(row.domain, row);
    this.#byId.set(row.id, row);
    this.#ofAccount.set(row.userId, [...this.ofAccount(row.userId), row.domain].sort());
  }

  delete(id: string): void {
    const row = this.#byId.get(id);
    if (row === undefined) return;
    this.#byId.delete(id);
    // Another row of the same domain may have been proven, and read, since.
    if (this.#byDomain.get(row.domain)?.id === id) this.#byDomain.delete(row.domain);
    const left = this.ofAccount(row.userId).filter((domain) => domain !== row.domain);
    if (left.length === 0) this.#ofAccount.delete(row.userId);
    else this.#ofAccount.set(row.userId, left);
  }

  clear(): void {
    this.#byDomain.clear();
    this.#byId.clear();
    this.#ofAccount.clear();
  }
}
