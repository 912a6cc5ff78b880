-- Sessions in a list for their owner: an id that is no secret, and sealed, which program on which system signed in. Sessions
-- from before have an id of their own and know no device.
ALTER TABLE session ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE session ALTER COLUMN id DROP DEFAULT;
ALTER TABLE session ADD CONSTRAINT session_id_key UNIQUE (id);
ALTER TABLE session ADD COLUMN sealed bytea;
