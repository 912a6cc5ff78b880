/** Domains that accounts have proven and still hold, in memory: read when the store opens, and when a row changes anywhere. */
import { isDomainOpen } from "@kauke/contract";
import type { ProvenDomain, ProvenDomains, SharedProvenDomains } from "../../../core/domain/account-domain.ts";
import { noneAppear } from "../../../core/domain/appear-rules.ts";
import { mapInSlices } from "../../../runtime/fair-queue/slices.ts";
import type { Logger } from "../../../runtime/ports.ts";
import type { DomainChange } from "../../change-signals.ts";
import type { StoreContext } from "../../store-context.ts";
import { type AccountDomainRow, openAccountDomain } from "./save-domain-check.ts";

/** Pause after the database failed to answer, before the rows are read again. */
const RETRY_MS = 1000;

interface Proven extends ProvenDomain {
  domain: string;
  /** Whether mail may make aliases on it now. */
  appears: boolean;
}

export interface ProvenDomainsInMemory extends SharedProvenDomains {
  find(domain: string): Proven | null;
  close(): void;
}

export async function openProvenDomains(
  context: StoreContext,
  logger: Logger | undefined,
): Promise<ProvenDomainsInMemory> {
  const known = new KnownDomains();
  const { signals } = context;
  let retry: NodeJS.Timeout | null = null;
  let isClosed = false;
  /** Whether a read failed since all rows were read. */
  let hasFailed = false;
  let openReads = 0;

  const read = async (change: DomainChange) => {
    const rows = await readProven(context, change);
    if (change === "all") known.clear();
    else known.delete(change.domainId);
    for (const row of rows) known.add(row);
    if (change === "all") hasFailed = false;
  };
  const readLater = () => {
    if (isClosed) return;
    logger?.warn("proven_domains_not_read");
    hasFailed = true;
    retry ??= setTimeout(() => {
      retry = null;
      void refresh("all");
    }, RETRY_MS).unref();
  };
  const first = read("all");
  // One after another, so that an older result never replaces a newer one.
  let reading = first.catch(() => {});
  const refresh = async (change: DomainChange) => {
    openReads += 1;
    reading = reading.then(() => read(change)).catch(readLater);
    await reading;
    openReads -= 1;
  };

  signals.onDomainChange(refresh);
  await first;
  return {
    find: (domain) => known.find(domain),
    ofAccount: (userId) => known.ofAccount(userId),
    isCurrent: () => signals.isListening() && openReads === 0 && !hasFailed,
    close: () => {
      isClosed = true;
      if (retry !== null) clearTimeout(retry);
    },
  };
}

async function readProven(context: StoreContext, change: DomainChange): Promise<Proven[]> {
  const held = context.db.selectFrom("account_domain").select(["id", "user_id", "state", "sealed"]);
  const rows = held.where("state", "<>", "new").orderBy("id").limit(PAGE);
  if (change !== "all") return await openRows(context, await rows.where("id", "=", change.domainId).execute());
  const all: Proven[] = [];
  for (let page = await rows.execute(); ; ) {
    all.push(...(await openRows(context, page)));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return all;
    page = await rows.where("id", ">", last.id).execute();
  }
}

/** A row has up to 70 KB, of which a few octets are kept. */
const PAGE = 500;

type Row = Pick<AccountDomainRow, "id" | "user_id" | "state" | "sealed">;

async function openRows({ keys }: Pick<StoreContext, "keys">, rows: readonly Row[]): Promise<Proven[]> {
  return await mapInSlices(rows, (row) => {
    const { domain, appearing = noneAppear, hasPolicyHost = false } = openAccountDomain(keys, row);
    const appears = isDomainOpen(row) && appearing.appear !== "off";
    return {
      id: row.id,
      userId: row.user_id,
      domain,
      state: row.state,
      appears,
      hasPolicyHost: isDomainOpen(row) && hasPolicyHost,
    };
  });
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
    if (isDomainOpen(row)) this.#ofAccount.set(row.userId, [...this.ofAccount(row.userId), row.domain].sort());
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
