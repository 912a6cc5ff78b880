/** Why the store refuses to start. The message is complete, names the setting to check, and holds no secret. */
export type StoreStartReason =
  | "locked"
  | "not_durable"
  | "secret_key_missing"
  | "secret_key_wrong"
  | "secret_key_readable"
  | "first_start_failed"
  | "newer_schema"
  | "moved"
  | "database_unreachable";

export class StoreStartError extends Error {
  override name = "StoreStartError";
  readonly reason: StoreStartReason;

  constructor(reason: StoreStartReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
