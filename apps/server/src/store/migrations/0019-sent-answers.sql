-- Which signed messages of owners were sent to which reply or send address, as keyed hashes, so that nobody who holds
-- such a message has it sent again. Deleted once the signature has expired.
CREATE TABLE sent_answer (
  mark bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  ends_at timestamptz NOT NULL
);
CREATE INDEX sent_answer_user ON sent_answer (user_id);
CREATE INDEX sent_answer_ends_at ON sent_answer (ends_at);
