-- Labels by which an account orders its aliases. Name and colour are sealed; which alias has which label stands in the alias' own
-- sealed document, so the database does not show how an account orders its aliases.
CREATE TABLE label (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX label_user ON label (user_id);
