/**
 * Client numbers: small whole numbers by which clients whose ids are integers (compatible with SimpleLogin) name an
 * account's aliases and mailboxes. Each kind of an account counts from 1; a number is assigned when it is first needed
 * and never given to anything else, also after its alias or mailbox was deleted.
 */

export type ClientNumberKind = "alias" | "mailbox";

export interface ClientNumberStore {
  /**
   * Numbers of these aliases or mailboxes of the account. Those without a number get the next ones, in the order of
   * `ids`.
   * @returns numbers by id; without ids that the account does not own
   */
  numbersOf(userId: string, kind: ClientNumberKind, ids: readonly string[]): Promise<Map<string, number>>;
  /** Id of the account's alias or mailbox with this number; `null` if it has none, or had one that was deleted. */
  idOf(userId: string, kind: ClientNumberKind, number: number): Promise<string | null>;
}

/** Largest client number: clients store them in 32 bits with a sign. */
export const CLIENT_NUMBER_MAX = 2 ** 31 - 1;
