/**
 * Memory budgets of connected clients: an address' budget lies within that of its block, which lies within the total.
 */
import type { ClientParty } from "../../limits/party.ts";
import { MemoryBudget } from "../memory-budget.ts";

interface Shares {
  /** Budget of the whole process. */
  budget: MemoryBudget;
  maxBytesPerAddress: number;
  maxBytesPerBlock?: number;
}

interface Held {
  connections: number;
  budget: MemoryBudget;
}

export class ClientBudgets {
  readonly #shares: Shares;
  readonly #blocks = new Map<string, Held>();
  readonly #networks = new Map<string, Held>();

  constructor(shares: Shares) {
    this.#shares = shares;
  }

  /** @returns the budget for a connection of this party; call `leave` when the connection ends */
  enter({ network, block }: ClientParty): MemoryBudget {
    const { budget: whole, maxBytesPerAddress, maxBytesPerBlock = maxBytesPerAddress } = this.#shares;
    const ofBlock = enter(this.#blocks, block, () => new MemoryBudget(maxBytesPerBlock, whole));
    return enter(this.#networks, network, () => new MemoryBudget(maxBytesPerAddress, ofBlock));
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
