-- An alias that an import made and that nobody has used since: 'new', or 'reclaimed' where the account had the address
-- before. Null: used, changed, made in another way, or made before this column.
ALTER TABLE alias ADD COLUMN fresh text CONSTRAINT alias_fresh CHECK (fresh IN ('new', 'reclaimed'));
-- From which network and block an address was released, as keyed hashes; null: unknown.
ALTER TABLE released_address ADD COLUMN network_index bytea;
ALTER TABLE released_address ADD COLUMN block_index bytea;
CREATE INDEX released_address_user ON released_address (former_user_index);
CREATE INDEX released_address_network ON released_address (network_index) WHERE network_index IS NOT NULL;
CREATE INDEX released_address_block ON released_address (block_index) WHERE block_index IS NOT NULL;
