-- Labels by which an account sorts its aliases. Name and colour are sealed. The labels of an alias are stored in the
-- alias' own sealed document, so the database does not reveal how an account sorts its aliases.
CREATE TABLE label (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX label_user ON label (user_id);
