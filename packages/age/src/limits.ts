/** Limits that are checked before any work. All sizes in bytes unless stated otherwise. */

export const AGE_HEADER_MAX_BYTES = 64 * 1024;
/** Maximum stanzas. Trying one private key on 64 X25519 stanzas takes about 55 ms; 8,000 stanzas would take seconds. */
export const AGE_STANZAS_MAX = 64;
/**
 * Maximum log2 of the scrypt cost: 18 takes 256 MiB and half a second; 20, which the library allows, 1.08 GiB and 4 s.
 */
export const AGE_WORK_FACTOR_MAX = 18;
/** log2 of the scrypt cost in files that we write, the same as in those of the stock age program. */
export const AGE_WORK_FACTOR = 18;
/** Minimum log2 of the scrypt cost of a protected key: one below this was made neither by us nor by age's defaults. */
export const PROTECTED_KEY_WORK_FACTOR_MIN = 17;
export const PROTECTED_KEY_MAX_BYTES = 4096;
/** Maximum size of plain text, as UTF-8. */
export const AGE_TEXT_MAX_BYTES = 1024 * 1024;
/** Maximum size of an age file in memory, without armor; larger ones go through the streams. */
export const AGE_FILE_MAX_BYTES = 64 * 1024 * 1024;
/** Maximum characters of a text with private keys and comments; those of a key are ASCII. */
export const KEY_FILE_MAX_BYTES = 16 * 1024;
/** Maximum private keys in one text. Each is tried on each stanza of its kind, see `DECRYPTION_COST_MAX`. */
export const PRIVATE_KEYS_MAX = 8;
/** Cost of trying one private key on one stanza of its kind; 1 is an X25519 key exchange, about 0.9 ms. */
export const TRIAL_COST = { classic: 1, "post-quantum": 5 } as const;
/**
 * Maximum total cost of trying private keys on the stanzas of one file, in units of `TRIAL_COST`: half a second. It
 * allows a single key of either kind with as many stanzas as a header can have.
 */
export const DECRYPTION_COST_MAX = 512;
export const RECIPIENTS_MAX = 20;
/** Maximum length of a password, in UTF-16 code units. */
export const PASSWORD_MAX_LENGTH = 1024;
