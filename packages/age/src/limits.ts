/** Checked before any work; sizes in bytes unless stated otherwise. */

export const AGE_HEADER_MAX_BYTES = 64 * 1024;
/** Trying a key on 64 X25519 stanzas takes 55 ms; 8,000 would take seconds. */
export const AGE_STANZAS_MAX = 64;
/** 18 takes 256 MiB and half a second; 20, which the library allows, 1.08 GiB and 4 s. */
export const AGE_WORK_FACTOR_MAX = 18;
/** log2 of the scrypt cost in files that we write, as the stock age program does. */
export const AGE_WORK_FACTOR = 18;
/** One below was made neither by us nor by age's defaults. */
export const PROTECTED_KEY_WORK_FACTOR_MIN = 17;
export const PROTECTED_KEY_MAX_BYTES = 4096;
export const AGE_TEXT_MAX_BYTES = 1024 * 1024;
/** Largest age file in memory, without armor; larger ones go through the streams. */
export const AGE_FILE_MAX_BYTES = 64 * 1024 * 1024;
/** Characters of a key file; keys are ASCII. */
export const KEY_FILE_MAX_BYTES = 16 * 1024;
/** Each is tried on each stanza of its kind, see `DECRYPTION_COST_MAX`. */
export const PRIVATE_KEYS_MAX = 8;
/** A unit of trial cost is an X25519 key exchange, 0.9 ms. */
export const TRIAL_COST = { classic: 1, "post-quantum": 5 } as const;
/** Half a second in units of `TRIAL_COST`: a single key with as many stanzas as a header can have. */
export const DECRYPTION_COST_MAX = 512;
export const AGE_RECIPIENTS_MAX = 20;
export const PASSWORD_MAX_LENGTH = 1024;
