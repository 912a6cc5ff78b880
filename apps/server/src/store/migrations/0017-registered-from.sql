-- The block of addresses (IPv4 /24, IPv6 /48) that an account was registered from, as a keyed hash: accounts of one block
-- share places at mail hosts, beyond the first of each. Null: from before, or registered through an unknown address.
ALTER TABLE "user" ADD COLUMN registered_from_index bytea;
