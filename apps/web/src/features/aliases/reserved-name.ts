/** Checks a name against the reserved list before the request is sent. */

/**
 * Whether the name is reserved. The list of names is a separate chunk; if it can't be loaded the result is false, and
 * the server refuses a reserved name.
 */
export async function isReservedName(name: string): Promise<boolean> {
  try {
    const { findReservedName } = await import("@kauke/contract/reserved-names");
    return findReservedName(name) !== null;
  } catch {
    return false;
  }
}
