-- Mailboxes of an account. Those its aliases forward to get a row when they are first listed; others are added by the
-- owner.
CREATE TABLE mailbox (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  mailbox_index bytea NOT NULL,
  added boolean NOT NULL,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT mailbox_address_key UNIQUE (user_id, mailbox_index)
);
