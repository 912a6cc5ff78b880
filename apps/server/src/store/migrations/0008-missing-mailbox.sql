-- Mailboxes that refused an account's mail as not existing: how many messages and since when, and whether mail to them is suspended.
-- Only the keyed hash: no address can be read here.
CREATE TABLE missing_mailbox (
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  mailbox_index bytea NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  refusals integer NOT NULL,
  last_message_id uuid NOT NULL,
  suspended_at timestamptz,
  PRIMARY KEY (user_id, mailbox_index)
);
