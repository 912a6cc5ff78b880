-- Forwarding sealed: the key an account, or one alias, seals forwarded mail to. A key in use can't be deleted: mail for it must
-- never become plaintext by that. Checked at the end of a statement, so that an account goes with all it has.
ALTER TABLE "user" ADD COLUMN seal_key_id uuid REFERENCES encryption_key;
-- Off for this alias, whatever the account says.
ALTER TABLE alias ADD COLUMN seal_off boolean NOT NULL DEFAULT false;
-- Null and not off: as the account says.
ALTER TABLE alias ADD COLUMN seal_key_id uuid REFERENCES encryption_key;

CREATE INDEX user_seal_key ON "user" (seal_key_id) WHERE seal_key_id IS NOT NULL;
CREATE INDEX alias_seal_key ON alias (seal_key_id) WHERE seal_key_id IS NOT NULL;
