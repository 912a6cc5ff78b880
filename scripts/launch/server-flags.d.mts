export const serverFlags: readonly string[];
