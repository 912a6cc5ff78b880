/**
 * Client numbers: small integers by which clients that need integer ids (compatible with SimpleLogin) identify an
 * account's aliases and mailboxes. In each account, aliases and mailboxes are numbered separately from 1. A number is
 * assigned when it is first needed and never reused, not even after its alias or mailbox was deleted.
 */
export type ClientNumberKind = "alias" | "mailbox";

export interface ClientNumberStore {
  /**
   * Numbers of these aliases or mailboxes of the account. Those without a number get the next free ones, in the order
   * of `ids`.
   * @returns numbers by id, without ids that the account does not own
   */
  numbersOf(userId: string, kind: ClientNumberKind, ids: readonly string[]): Promise<Map<string, number>>;
  /**
   * Id of the account's alias or mailbox with this number; `null` if the number was never assigned, or its alias or
   * mailbox was deleted.
   */
  idOf(userId: string, kind: ClientNumberKind, number: number): Promise<string | null>;
}

/** Largest client number, because clients store it as a signed 32-bit integer. */
export const CLIENT_NUMBER_MAX = 2 ** 31 - 1;
