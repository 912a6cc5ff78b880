/** Integer ids for SimpleLogin clients: from 1 per account and kind, assigned when first needed, never reused. */
export type ClientNumberKind = "alias" | "mailbox";

export interface ClientNumberStore {
  /** Assigns missing numbers in the order of `ids`. @returns numbers by id, without ids of other accounts */
  numbersOf(userId: string, kind: ClientNumberKind, ids: readonly string[]): Promise<Map<string, number>>;
  /** `null` if the number was never assigned, or its alias or mailbox was deleted. */
  idOf(userId: string, kind: ClientNumberKind, number: number): Promise<string | null>;
}

/** Maximum client number: clients store numbers as signed 32-bit integers. */
export const CLIENT_NUMBER_MAX = 2 ** 31 - 1;
