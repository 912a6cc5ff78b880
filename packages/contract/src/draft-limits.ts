/** Drafts that a browser keeps. At each limit the account's oldest drafts give way. */
export const draftLimits = {
  keptDays: 7,
  perAccountMax: 200,
  /** Octets of all drafts of an account, attached files included. */
  perAccountMaxBytes: 268_435_456,
} as const;
