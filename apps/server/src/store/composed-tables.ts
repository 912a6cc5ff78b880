/** Row types of the tables for composed mail: jobs, uploaded attachments, contacts. */
import type { Generated } from "kysely";

export interface EmailJobTable {
  id: string;
  user_id: string;
  alias_id: string | null;
  use_encryption: Generated<boolean>;
  status: Generated<string>;
  priority: Generated<number>;
  max_retries: Generated<number>;
  current_retries: Generated<number>;
  scheduled_at: Date;
  processed_at: Date | null;
  cancelled_at: Date | null;
  created_at: Date;
  updated_at: Date;
  sealed: Buffer;
  /** By recipient: `null` while it waits, `sent`, `cancelled`, or `failed` with code and enhanced status. */
  outcomes: Generated<(string | null)[]>;
}

export interface ContactTable {
  id: string;
  user_id: string;
  address_index: Buffer;
  last_used_at: Date;
  sealed: Buffer;
}

/** The file is a body under the same id. */
export interface EmailAttachmentTable {
  id: string;
  user_id: string;
  size_bytes: number;
  created_at: Date;
}
