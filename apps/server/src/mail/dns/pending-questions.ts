/**
 * Limits pending DNS queries, so that a domain with a slow name server can't exhaust the resolver. Over a zone's share
 * a query fails at once; at the total limit the oldest of the zone with the most fails.
 */

import { zoneOf } from "../../limits/party.ts";
import { bounds } from "../../limits/table.ts";

export interface PendingLimits {
  all: number;
  zone: number;
}

export class PendingQuestions {
  readonly #limits: PendingLimits;
  readonly #zones = new Map<string, Set<() => void>>();
  #size = 0;

  constructor(limits: PendingLimits = bounds.dnsQueries) {
    this.#limits = limits;
  }

  /** @param name in lower case @param ask never rejects @returns the result, or `failed` without room */
  ask<T>(name: string, ask: () => Promise<T>, failed: T): Promise<T> {
    const zone = zoneOf(name);
    if ((this.#zones.get(zone)?.size ?? 0) >= this.#limits.zone) return Promise.resolve(failed);
    if (this.#size >= this.#limits.all) this.#failOldest();
    return new Promise((resolve) => {
      const fail = () => {
        this.#remove(zone, fail);
        resolve(failed);
      };
      this.#add(zone, fail);
      void ask().then((result) => {
        this.#remove(zone, fail);
        resolve(result);
      });
    });
  }

  #failOldest(): void {
    let largest: Set<() => void> = new Set();
    for (const questions of this.#zones.values()) if (questions.size > largest.size) largest = questions;
    const [oldest] = largest;
    oldest?.();
  }

  #add(zone: string, fail: () => void): void {
    const questions = this.#zones.get(zone);
    if (questions === undefined) this.#zones.set(zone, new Set([fail]));
    else questions.add(fail);
    this.#size++;
  }

  #remove(zone: string, fail: () => void): void {
    const questions = this.#zones.get(zone);
    if (questions?.delete(fail) !== true) return;
    this.#size--;
    if (questions.size === 0) this.#zones.delete(zone);
  }
}
