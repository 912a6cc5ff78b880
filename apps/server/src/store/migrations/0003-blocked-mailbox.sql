-- Mailboxes whose reader wants nothing from this server, from no account. Only the keyed hash: no address can be read here.
CREATE TABLE blocked_mailbox (
  mailbox_index bytea PRIMARY KEY,
  created_at timestamptz NOT NULL
);
