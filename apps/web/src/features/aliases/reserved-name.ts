/** Checks a name against the reserved list before the request is sent. */

/** The list is a separate chunk. If it can't be loaded the result is false; the server refuses reserved names too. */
export async function isReservedName(name: string): Promise<boolean> {
  try {
    const { findReservedName } = await import("@kauke/contract/reserved-names");
    return findReservedName(name) !== null;
  } catch {
    return false;
  }
}
