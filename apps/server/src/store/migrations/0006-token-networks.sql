-- Whose the open challenges and sign-ins are, and mail kept for the operator: network and block (IPv4 /24, IPv6 /48) as keyed
-- hashes, so that the oldest of the busiest give way when there are too many. Null: from before, or from this process itself.
ALTER TABLE one_time_token ADD COLUMN network_index bytea;
ALTER TABLE one_time_token ADD COLUMN block_index bytea;
ALTER TABLE delivery ADD COLUMN network_index bytea;
ALTER TABLE delivery ADD COLUMN block_index bytea;
