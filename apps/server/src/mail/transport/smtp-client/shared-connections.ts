/**
 * Open connections to mail hosts and their providers, counted over all workers. A worker without a connection may
 * always open one, since its messages would otherwise wait for connections that others hold. So a host gets at most one
 * connection per worker more than its limit.
 */
import type { SharedCounts } from "../../../core/worker-shares/shared-counts.ts";
import { onlyWorker, type WorkerShares } from "../../../core/worker-shares/worker-shares.ts";
import type { PlaceParty } from "../places.ts";

export class SharedConnections {
  readonly #hosts: SharedCounts;
  readonly #providers: SharedCounts;
  /** Connections to hosts that are late, by party. */
  readonly #late: SharedCounts;

  constructor(shares: WorkerShares = onlyWorker) {
    this.#hosts = shares.counts("connections to hosts");
    this.#providers = shares.counts("connections to providers");
    this.#late = shares.counts("late connections");
  }

  /** Counts an opened (1) or closed (-1) connection. */
  count(host: string, provider: string | undefined, change: 1 | -1): void {
    this.#hosts.add(host, change);
    if (provider !== undefined) this.#providers.add(provider, change);
  }

  /** Counts a connection that became late (1), or a late one that closed (-1). */
  countLate(host: string, party: PlaceParty, change: 1 | -1): void {
    for (const key of Object.values(lateKeys(host, party))) this.#late.add(key, change);
  }

  /** Late connections of a party's account and network to a host in the other workers. */
  lateElsewhere(host: string, party: PlaceParty): { account: number; network: number } {
    const { account, network } = lateKeys(host, party);
    return { account: this.#late.others(account), network: this.#late.others(network) };
  }

  hasRoomAtHost(host: string, most: number): boolean {
    return hasRoom(this.#hosts, host, most);
  }

  hasRoomAtProvider(provider: string, most: number): boolean {
    return hasRoom(this.#providers, provider, most);
  }

  /** Whether other workers have connections to a provider. */
  isElsewhere(provider: string): boolean {
    return this.#providers.others(provider) > 0;
  }

  /** Whether this worker may reopen a connection to a host at once; if not, it leaves it to workers with fewer. */
  mayReopen(host: string, most: number): boolean {
    return this.#hosts.others(host) === 0 || this.#hosts.own(host) < Math.ceil(most / this.#hosts.workers(host));
  }
}

const lateKeys = (host: string, { account, network }: PlaceParty) => ({
  account: `${host} of ${account}`,
  network: `${host} from ${network}`,
});

const hasRoom = (counts: SharedCounts, key: string, most: number) => counts.own(key) === 0 || counts.all(key) < most;
