/** Limits and fixed figures for server, pages and tests. */
export const limits = {
  aliasNameMax: 64,
  aliasesMax: 10_000,
  /** Aliases named at once of those that the forwarding provider does not have as wanted. */
  unfinishedShown: 500,
  /** Addresses an account may release in 30 days, since each stays reserved for that long. */
  releasedMax: 2000,
  /** Mailboxes that an owner adds; those listed because aliases forward to them do not count. */
  addedMailboxesMax: 100,
  /** A new destination joins the list of mailboxes only while it has fewer. */
  listedMailboxesMax: 1000,
  /** Highest value of `KAUKE_USER_DOMAINS`. */
  userDomainsMax: 100,
  /** What DNS answered for a record of an own domain: entries, and characters of each. */
  domainAnswersShown: 5,
  domainAnswerMax: 300,
  /** Aliases that appear on an own domain: prefixes of their names, and names that are never made. */
  appearPrefixesMax: 20,
  neverNamesMax: 1000,
  notesMax: 128,
  /** A name that correspondents see: characters, and octets in UTF-8. */
  displayNameMax: 64,
  displayNameMaxBytes: 192,
  /** Seconds until a marked alias is deleted, at most; until then the mark can be taken away. */
  deletionDelayMaxSeconds: 60,
  labelsMax: 100,
  labelNameMax: 40,
  labelsPerAliasMax: 10,
  keyNameMax: 100,
  masterPasswordMax: 1024,
  /** A post-quantum public key has about 2,000 characters. */
  publicKeyMax: 4096,
  wrappedKeyMax: 6144,
  /** A typed or pasted private key may be a whole identity file. */
  identityFileMax: 65_536,
  encryptionKeysMax: 50,
  /** API keys of an account, and years until a key expires. */
  apiKeysMax: 50,
  apiKeyYearsMax: 10,
  passwordMin: 8,
  passwordMax: 128,
  emailMax: 254,
  destinationsMax: 10,
  /** Characters of `forwardTo`: ten of the longest mailboxes fit. */
  forwardToMax: 4096,
  webhookUrlMax: 2048,
  checklistMax: 5000,
  checklistRowsPerCall: 1000,
  /** Characters of a checklist's site; a host name has at most 253. */
  siteMax: 253,
  subjectMax: 500,
  /** Octets of a message's body in UTF-8. */
  messageBodyMaxBytes: 1_048_576,
  /** Attachments of a composed message, characters of a name, and hours until an unused one is deleted. */
  attachmentsMax: 20,
  attachmentNameMax: 255,
  attachmentKeptHours: 24,
  /** Octets of an upload on any server; `KAUKE_MAX_MESSAGE_BYTES` bounds it further. */
  attachmentMaxBytes: 104_857_600,
  /** Minutes for which a link to a configuration profile works, and open ones of an account. */
  mailProfileMinutes: 10,
  mailProfilesMax: 10,
  priorityMax: 10,
  waitingJobsShown: 100,
  endedJobsShown: 200,
  endedJobDays: 7,
  /** Recipients of a composed message together: To, Cc and Bcc. */
  composeRecipientsMax: 50,
  contactsMax: 500,
  scheduleMaxDays: 365,
  /** Octets of a request body that carries a message, encrypted or not. */
  requestBodyMaxBytes: 1_800_000,
  smallBodyMaxBytes: 65_536,
  /** Octets of a bulk change: ids of all aliases of an account, 39 octets each. */
  bulkBodyMaxBytes: 450_000,
  /** Octets of an import file, and of an archive's unpacked contents. */
  importFileMaxBytes: 33_554_432,
  importUnpackedMaxBytes: 134_217_728,
  /** Rows of one import, and of all stored imports of an account. */
  importRowsMax: 50_000,
  importStoredRowsMax: 150_000,
  importDestinationsMax: 200,
  /** Hours to undo a finished import, and to keep an import's rows. */
  importUndoHours: 1,
  importKeptHours: 24,
  /** Characters of 1 MiB of plaintext with armor, line ends and header. */
  encryptedTextMax: 1_600_000,
} as const;

export const sessionTimes = {
  idleSeconds: 30 * 60,
  warningSeconds: 5 * 60,
  absoluteSeconds: 24 * 3600,
  activityThrottleMs: 1000,
  /** Seconds between two requests by which an active page extends its session. */
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

/** Milliseconds until a revealed password is hidden again. */
export const secretTimes = { visibleMs: 30_000 } as const;

export const product = { name: "Kauke", version: "1.0.24", copyrightYear: 2025 } as const;
