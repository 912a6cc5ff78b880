-- People that an account wrote to.
CREATE TABLE contact (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  address_index bytea NOT NULL,
  last_used_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE UNIQUE INDEX contact_address ON contact (user_id, address_index);
CREATE INDEX contact_used ON contact (user_id, last_used_at);
