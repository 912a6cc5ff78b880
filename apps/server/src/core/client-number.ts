/**
 * Small integers by which clients that need integer ids (SimpleLogin's) identify an account's aliases and mailboxes:
 * each kind is numbered from 1 per account, when a number is first needed. Numbers are never reused.
 */
export type ClientNumberKind = "alias" | "mailbox";

export interface ClientNumberStore {
  /** Assigns new numbers in the order of `ids`. @returns numbers by id, without ids of other accounts */
  numbersOf(userId: string, kind: ClientNumberKind, ids: readonly string[]): Promise<Map<string, number>>;
  /** `null` if the number was never assigned, or its alias or mailbox was deleted. */
  idOf(userId: string, kind: ClientNumberKind, number: number): Promise<string | null>;
}

/** Maximum client number: clients store numbers as signed 32-bit integers. */
export const CLIENT_NUMBER_MAX = 2 ** 31 - 1;
