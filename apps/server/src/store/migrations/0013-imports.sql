-- Imports of aliases: a summary of each, and their rows in batches of up to 500. Both are sealed, and deleted a day
-- after the import's last change of state.
CREATE TABLE alias_import (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  state text NOT NULL,
  row_count integer NOT NULL,
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  leased_by uuid,
  leased_until timestamptz,
  sealed bytea NOT NULL
);
CREATE INDEX alias_import_user ON alias_import (user_id);
CREATE INDEX alias_import_changed_at ON alias_import (changed_at);
CREATE TABLE alias_import_batch (
  id uuid PRIMARY KEY,
  import_id uuid NOT NULL REFERENCES alias_import ON DELETE CASCADE,
  batch_index integer NOT NULL,
  -- Whether the import's run, or later its undo, still has to handle rows of this batch.
  is_open boolean NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT alias_import_batch_key UNIQUE (import_id, batch_index)
);
