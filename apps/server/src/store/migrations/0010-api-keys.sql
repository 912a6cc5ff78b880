-- Keys with which programs call the API. Only the SHA-256 of a key is stored; its name is sealed. Of the last use, only
-- the day is stored.
CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  key_hash bytea NOT NULL CONSTRAINT api_key_hash_key UNIQUE,
  scopes text NOT NULL,
  expires_at timestamptz,
  last_used_on text,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX api_key_user ON api_key (user_id);
CREATE INDEX api_key_expiry ON api_key (expires_at) WHERE expires_at IS NOT NULL;
