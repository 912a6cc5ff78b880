/** Limits and fixed figures of the specification (section 9) and of DESIGN, for server, pages and tests. */
export const limits = {
  aliasNameMax: 64,
  /** Maximum aliases per account. */
  aliasesMax: 10_000,
  /** Used aliases that an account may delete or rename in 30 days, since each address stays reserved for that long. */
  releasedMax: 2000,
  /**
   * Maximum mailboxes that an account can add to its list; mailboxes listed because aliases forward to them do not
   * count.
   */
  addedMailboxesMax: 100,
  /**
   * Mailboxes that aliases forward to are added to an account's list only while the list has fewer mailboxes than this.
   */
  listedMailboxesMax: 1000,
  notesMax: 128,
  /** Maximum labels per account, characters in a label's name, and labels per alias. */
  labelsMax: 100,
  labelNameMax: 40,
  labelsPerAliasMax: 10,
  keyNameMax: 100,
  masterPasswordMax: 1024,
  /** Maximum characters of a public key; a post-quantum one has about 2,000. */
  publicKeyMax: 4096,
  /** Maximum characters of the armored age file that protects a private key. */
  wrappedKeyMax: 6144,
  /** Maximum characters of a private key as typed or pasted, which may be a whole identity file. */
  identityFileMax: 65_536,
  /** Maximum encryption keys per account. */
  encryptionKeysMax: 50,
  /** Maximum API keys per account, and maximum years until a key expires that has an expiry date. */
  apiKeysMax: 50,
  apiKeyYearsMax: 10,
  passwordMin: 8,
  passwordMax: 128,
  emailMax: 254,
  /** Maximum destinations per alias. */
  destinationsMax: 10,
  /** Maximum characters of the whole `forwardTo` text. Ten of the longest mailboxes fit. */
  forwardToMax: 4096,
  webhookUrlMax: 2048,
  /** Maximum rows of an account's checklist. */
  checklistMax: 5000,
  /** Maximum rows that one call adds to the checklist or changes in it. */
  checklistRowsPerCall: 1000,
  /** Maximum characters of a site on the checklist; a host name has at most 253. */
  siteMax: 253,
  subjectMax: 500,
  /** Maximum octets of a composed message's body in UTF-8. */
  messageBodyMaxBytes: 1_048_576,
  priorityMax: 10,
  /** Maximum waiting composed messages in one list. */
  waitingJobsShown: 100,
  scheduleMaxDays: 365,
  /** Maximum octets of the request body of routes that carry a message, encrypted or not. */
  requestBodyMaxBytes: 1_800_000,
  smallBodyMaxBytes: 65_536,
  /**
   * Maximum octets of the request body of a bulk change: the ids of all aliases of an account, 39 octets each, and the
   * change.
   */
  bulkBodyMaxBytes: 450_000,
  /** Maximum octets of a file to import, and of the unpacked contents of an archive. */
  importFileMaxBytes: 33_554_432,
  importUnpackedMaxBytes: 134_217_728,
  /** Maximum rows of one import, and of all stored imports of an account together. */
  importRowsMax: 50_000,
  importStoredRowsMax: 150_000,
  /** Maximum different destinations in one import. */
  importDestinationsMax: 200,
  /** Hours for which a finished import can be undone, and for which an import's rows are stored. */
  importUndoHours: 1,
  importKeptHours: 24,
  /** Maximum characters of an armored text: 1 MiB of plaintext, with the overhead of armor, line ends and header. */
  encryptedTextMax: 1_600_000,
} as const;

export const sessionTimes = {
  idleSeconds: 30 * 60,
  warningSeconds: 5 * 60,
  absoluteSeconds: 24 * 3600,
  activityThrottleMs: 1000,
  /** Minimum seconds between two requests by which an active page extends its server session. */
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

/** Milliseconds until a new or revealed password or secret is hidden again. */
export const secretTimes = { visibleMs: 30_000 } as const;

export const product = { name: "Kauke", version: "1.0.24", copyrightYear: 2025 } as const;
