/**
 * Memory budgets of connected clients: an address' budget lies within that of its block, which lies within the total.
 * Each budget holds over all workers.
 */
import type { ClientParty } from "../../core/connection/client-network.ts";
import type { SharedCounts } from "../../core/worker-shares/shared-counts.ts";
import { onlyWorker, type WorkerShares } from "../../core/worker-shares/worker-shares.ts";
import { MemoryBudget } from "../memory-budget.ts";

interface Shares {
  /** Budget of the whole process. */
  budget: MemoryBudget;
  maxBytesPerAddress: number;
  maxBytesPerBlock?: number;
  workerShares?: WorkerShares;
}

interface Held {
  connections: number;
  budget: MemoryBudget;
}

export class ClientBudgets {
  readonly #shares: Shares;
  readonly #blocks = new Map<string, Held>();
  readonly #networks = new Map<string, Held>();

  readonly #bytesOfBlocks: SharedCounts;
  readonly #bytesOfNetworks: SharedCounts;

  constructor(shares: Shares) {
    this.#shares = shares;
    const { workerShares = onlyWorker, maxBytesPerAddress, maxBytesPerBlock = maxBytesPerAddress } = shares;
    this.#bytesOfBlocks = workerShares.counts("bytes of blocks");
    this.#bytesOfNetworks = workerShares.counts("bytes of networks");
    this.#bytesOfBlocks.withholdBelow(maxBytesPerBlock);
    this.#bytesOfNetworks.withholdBelow(maxBytesPerAddress);
  }

  /** @returns the budget for a connection of this party; call `leave` when the connection ends */
  enter({ network, block }: ClientParty): MemoryBudget {
    const { budget: whole, maxBytesPerAddress, maxBytesPerBlock = maxBytesPerAddress } = this.#shares;
    const ofBlock = enter(this.#blocks, block, () => {
      const client = { counts: this.#bytesOfBlocks, key: block };
      return new MemoryBudget(maxBytesPerBlock, { budget: whole, client });
    });
    return enter(this.#networks, network, () => {
      const client = { counts: this.#bytesOfNetworks, key: network };
      return new MemoryBudget(maxBytesPerAddress, { budget: ofBlock, client });
    });
  }

  leave({ network, block }: ClientParty): void {
    leave(this.#networks, network);
    leave(this.#blocks, block);
  }
}

function enter(held: Map<string, Held>, key: string, make: () => MemoryBudget): MemoryBudget {
  const known = held.get(key) ?? { connections: 0, budget: make() };
  held.set(key, known);
  known.connections++;
  return known.budget;
}

function leave(held: Map<string, Held>, key: string): void {
  const known = held.get(key);
  if (known !== undefined && --known.connections === 0) held.delete(key);
}
