-- An account's checklist "change your address at these sites", in documents of up to 100 rows. Sites, addresses and
-- ticks are sealed.
CREATE TABLE checklist (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  position integer NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT checklist_position_key UNIQUE (user_id, position)
);
