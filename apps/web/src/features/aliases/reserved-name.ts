/** Whether a name is on the reserved list, asked before anything is sent. */

/** The list is a chunk of its own. If it can't be loaded, the answer is no: the server refuses reserved names too. */
export async function isReservedName(name: string): Promise<boolean> {
  try {
    const { findReservedName } = await import("@kauke/contract/reserved-names");
    return findReservedName(name) !== null;
  } catch {
    return false;
  }
}
