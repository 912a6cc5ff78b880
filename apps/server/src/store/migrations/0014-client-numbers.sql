-- Integers by which clients with integer ids identify aliases and mailboxes, per account and kind from 1.
-- client_number_last keeps the last assigned number when its alias or mailbox is deleted, so that no number is assigned
-- twice.
CREATE TABLE client_number_last (
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('alias', 'mailbox')),
  last integer NOT NULL,
  PRIMARY KEY (user_id, kind)
);
CREATE TABLE alias_number (
  alias_id uuid PRIMARY KEY REFERENCES alias ON DELETE CASCADE,
  user_id uuid NOT NULL,
  number integer NOT NULL,
  UNIQUE (user_id, number)
);
CREATE TABLE mailbox_number (
  mailbox_id uuid PRIMARY KEY REFERENCES mailbox ON DELETE CASCADE,
  user_id uuid NOT NULL,
  number integer NOT NULL,
  UNIQUE (user_id, number)
);
