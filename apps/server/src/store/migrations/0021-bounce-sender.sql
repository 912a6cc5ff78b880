-- Who gets a bounce sent to the bounce address of an alias, where the sender's address is too long to stand in it. The
-- token, a keyed hash of alias and sender, is part of that address.
CREATE TABLE bounce_sender (
  token bytea PRIMARY KEY,
  alias_id uuid NOT NULL REFERENCES alias ON DELETE CASCADE,
  -- Day (UTC, as in 2026-11-27) from which the last address made with this token is too old.
  expires_on text NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX bounce_sender_alias ON bounce_sender (alias_id);
CREATE INDEX bounce_sender_expires_on ON bounce_sender (expires_on);
