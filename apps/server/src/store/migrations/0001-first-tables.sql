-- All tables of the product. Everything personal of a row lies in its one `sealed` column (AES-256-GCM, bound to table and
-- row id); columns ending in `_index` are keyed hashes for exact look-up. What stays plain: ids, times, states, counts, schedule.
-- Every statement ends with a semicolon at the end of its line: the runner cuts there.

CREATE TABLE "user" (
  id uuid PRIMARY KEY,
  auth_method text NOT NULL,
  balance_cents bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  email_index bytea CONSTRAINT user_email_index_key UNIQUE,
  wallet_index bytea CONSTRAINT user_wallet_index_key UNIQUE,
  google_index bytea CONSTRAINT user_google_index_key UNIQUE,
  sealed bytea NOT NULL
);

CREATE TABLE session (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL
);
CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_seen ON session (last_seen_at);

CREATE TABLE alias (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  active boolean NOT NULL,
  created_at timestamptz NOT NULL,
  address_index bytea NOT NULL CONSTRAINT alias_address_index_key UNIQUE,
  sealed bytea NOT NULL
);
CREATE INDEX alias_user ON alias (user_id, created_at DESC);

-- An address given up: nobody but its former account may take it until then.
CREATE TABLE released_address (
  address_index bytea PRIMARY KEY,
  former_user_index bytea NOT NULL,
  until timestamptz NOT NULL
);
CREATE INDEX released_address_until ON released_address (until);

-- What an account knows of a mailbox it forwards to (confirmation).
CREATE TABLE destination (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  mailbox_index bytea NOT NULL,
  state text NOT NULL,
  created_at timestamptz NOT NULL,
  confirmed_at timestamptz,
  sealed bytea NOT NULL,
  CONSTRAINT destination_mailbox_key UNIQUE (user_id, mailbox_index)
);
CREATE INDEX destination_mailbox ON destination (mailbox_index);

CREATE TABLE smtp_credential (
  id uuid PRIMARY KEY,
  alias_id uuid NOT NULL CONSTRAINT smtp_credential_alias_key UNIQUE REFERENCES alias ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  username_index bytea NOT NULL CONSTRAINT smtp_credential_username_key UNIQUE,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX smtp_credential_user ON smtp_credential (user_id);

CREATE TABLE encryption_key (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX encryption_key_user ON encryption_key (user_id);
CREATE UNIQUE INDEX encryption_key_default ON encryption_key (user_id) WHERE is_default;

CREATE TABLE email_job (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  alias_id uuid REFERENCES alias ON DELETE SET NULL,
  use_encryption boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'pending',
  priority integer NOT NULL DEFAULT 0,
  max_retries integer NOT NULL DEFAULT 3,
  current_retries integer NOT NULL DEFAULT 0,
  scheduled_at timestamptz NOT NULL,
  processed_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX email_job_user ON email_job (user_id, created_at DESC);
CREATE INDEX email_job_alias ON email_job (alias_id);

CREATE TABLE message (
  id uuid PRIMARY KEY,
  email_job_id uuid REFERENCES email_job ON DELETE SET NULL,
  size_bytes integer NOT NULL,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX message_email_job ON message (email_job_id) WHERE email_job_id IS NOT NULL;

-- Bodies on PostgreSQL. No foreign key: the body is stored before the message is.
CREATE TABLE message_chunk (
  message_id uuid NOT NULL,
  chunk_index integer NOT NULL,
  is_last boolean NOT NULL,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (message_id, chunk_index)
);
ALTER TABLE message_chunk ALTER COLUMN sealed SET STORAGE EXTERNAL;

CREATE TABLE delivery (
  id uuid PRIMARY KEY,
  message_id uuid NOT NULL REFERENCES message ON DELETE CASCADE,
  alias_id uuid REFERENCES alias ON DELETE CASCADE,
  user_id uuid REFERENCES "user" ON DELETE CASCADE,
  state text NOT NULL CONSTRAINT delivery_state CHECK (state IN ('open', 'kept')),
  not_before timestamptz NOT NULL,
  lease_token text,
  leased_until timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  last_failure text,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX delivery_due ON delivery ((coalesce(leased_until, not_before))) WHERE state = 'open';
CREATE INDEX delivery_message ON delivery (message_id);
CREATE INDEX delivery_alias ON delivery (alias_id);
CREATE INDEX delivery_user ON delivery (user_id);

-- id and content key both come from the token in the reply address, which is stored nowhere.
CREATE TABLE reply_path (
  id bytea PRIMARY KEY,
  alias_id uuid NOT NULL REFERENCES alias ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX reply_path_alias ON reply_path (alias_id);

CREATE TABLE one_time_token (
  token_hash bytea PRIMARY KEY,
  kind text NOT NULL,
  user_id uuid REFERENCES "user" ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  sealed bytea
);
CREATE INDEX one_time_token_user ON one_time_token (user_id);
CREATE INDEX one_time_token_expiry ON one_time_token (expires_at);

CREATE TABLE notice (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  alias_id uuid REFERENCES alias ON DELETE CASCADE,
  kind text NOT NULL,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX notice_user ON notice (user_id, created_at DESC);
CREATE INDEX notice_alias ON notice (alias_id);
CREATE INDEX notice_created ON notice (created_at);

CREATE TABLE counter (
  name text PRIMARY KEY,
  value bigint NOT NULL
);

-- The subject (account, IP address or other) is a keyed hash, so that it may outlive the account.
CREATE TABLE rate_limit (
  id uuid PRIMARY KEY,
  action_type text NOT NULL,
  subject_index bytea NOT NULL,
  count integer NOT NULL DEFAULT 0,
  window_start timestamptz NOT NULL,
  last_action timestamptz NOT NULL,
  CONSTRAINT rate_limit_subject_key UNIQUE (action_type, subject_index)
);
CREATE INDEX rate_limit_window ON rate_limit (window_start);

-- Keys of the server, wrapped by KAUKE_SECRET_KEY.
CREATE TABLE server_key (
  id integer PRIMARY KEY,
  purpose text NOT NULL,
  created_at timestamptz NOT NULL,
  wrapped bytea NOT NULL
);
