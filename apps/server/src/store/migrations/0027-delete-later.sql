-- When the server deletes an alias by itself, and from which network that was asked, as in released_address.
ALTER TABLE alias ADD COLUMN delete_at timestamptz;
ALTER TABLE alias ADD COLUMN delete_network_index bytea;
ALTER TABLE alias ADD COLUMN delete_block_index bytea;
CREATE INDEX alias_delete_at ON alias (delete_at) WHERE delete_at IS NOT NULL;
