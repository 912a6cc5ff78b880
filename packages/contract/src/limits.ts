/** Limits and fixed figures of the specification (section 9) and of DESIGN. One place; server, pages and tests read it here. */
export const limits = {
  aliasNameMax: 64,
  /** Aliases of one account. */
  aliasesMax: 10_000,
  notesMax: 128,
  keyNameMax: 100,
  masterPasswordMax: 1024,
  /** Characters; a post-quantum public key has about 2,000. */
  publicKeyMax: 4096,
  /** Characters of the armored age file around a private key. */
  wrappedKeyMax: 6144,
  /** Characters of a private key as it is typed or pasted: a whole identity file. */
  identityFileMax: 65_536,
  /** Encryption keys of one account. */
  encryptionKeysMax: 50,
  passwordMin: 8,
  passwordMax: 128,
  emailMax: 254,
  /** Destinations of one alias. */
  destinationsMax: 10,
  /** Characters of the whole `forwardTo` text: ten longest addresses or URLs. */
  forwardToMax: 4096,
  webhookUrlMax: 2048,
  subjectMax: 500,
  /** Octets of a composed message's text. */
  messageBodyMaxBytes: 1_048_576,
  priorityMax: 10,
  /** Composed messages that wait, of one account in one list. */
  waitingJobsShown: 100,
  scheduleMaxDays: 365,
  /** Of calls that carry a message, encrypted or not. */
  requestBodyMaxBytes: 1_800_000,
  smallBodyMaxBytes: 65_536,
  /** Characters of an armored text: 1 MiB of plaintext, armored, with the line ends and the header that make it longer. */
  encryptedTextMax: 1_600_000,
} as const;

export const sessionTimes = {
  idleSeconds: 30 * 60,
  warningSeconds: 5 * 60,
  absoluteSeconds: 24 * 3600,
  activityThrottleMs: 1000,
  /** An active page keeps its server session alive at most this often. */
  keepAliveSeconds: 5 * 60,
} as const;

export const retentionDays = {
  technicalLogs: 90,
  deletedAccount: 30,
  deletedAccountTransparency: 90,
  deletedAlias: 30,
  securityRecords: 30,
} as const;

export const toastTimes = { visibleMs: 5000, destructiveMs: 7000, removeMs: 1000, swipePx: 50 } as const;

/** A new or revealed password or secret is hidden again after this long. */
export const secretTimes = { visibleMs: 30_000 } as const;

export const product = { name: "Kauke", version: "1.0.24", copyrightYear: 2025 } as const;
