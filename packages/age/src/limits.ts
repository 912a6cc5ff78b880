/** What is refused before any work is done. All sizes in bytes. */

/** 64 X25519 stanzas cost about 55 ms to try; 8,000 cost 4 s. */
export const AGE_HEADER_MAX_BYTES = 64 * 1024;
export const AGE_STANZAS_MAX = 64;
/** log2 of the scrypt cost: 18 takes 256 MiB and half a second; 20, which the library allows, 1.08 GiB and 4 s. */
export const AGE_WORK_FACTOR_MAX = 18;
/** What we write, and what the stock age program writes. */
export const AGE_WORK_FACTOR = 18;
/** A protected key below this was not made by us or by age's defaults. */
export const PROTECTED_KEY_WORK_FACTOR_MIN = 17;
export const PROTECTED_KEY_MAX_BYTES = 4096;
/** Plain text, as UTF-8. */
export const AGE_TEXT_MAX_BYTES = 1024 * 1024;
/** The age file held in memory at once, before armor; larger ones go through the streams. */
export const AGE_FILE_MAX_BYTES = 64 * 1024 * 1024;
/** Text that holds private keys, with its comments. */
export const KEY_FILE_MAX_BYTES = 16 * 1024;
/** Each is tried on each stanza of its kind, see `DECRYPTION_COST_MAX`. */
export const PRIVATE_KEYS_MAX = 8;
/** What trying one private key on one stanza of its kind costs; 1 is an X25519 key exchange, some 0.9 ms. */
export const TRIAL_COST = { classic: 1, "post-quantum": 5 } as const;
/** Costs of all trials for one file: half a second. A single key of either kind may be tried on every stanza a header can hold. */
export const DECRYPTION_COST_MAX = 512;
export const RECIPIENTS_MAX = 20;
/** In UTF-16 units. */
export const PASSWORD_MAX_LENGTH = 1024;
