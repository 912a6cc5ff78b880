/**
 * V8 options of the server, on its command line: functions are optimised after 300 calls instead of 3,000, and the bytes
 * of messages count towards the limit of the whole heap, in place of a full collection for each 64 MiB of them.
 * docs/decisions/2026-11-27-two-v8-options.md
 */
export const serverFlags = ["--invocation-count-for-turbofan=300", "--external-memory-accounted-in-global-limit"];
