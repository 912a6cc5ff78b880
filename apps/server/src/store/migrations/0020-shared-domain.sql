-- The domain of a destination mailbox as a keyed hash, to see where several accounts have mailboxes; empty for a public
-- mail host. Null in rows from before: filled in when the server starts.
ALTER TABLE destination ADD COLUMN domain_index bytea;
CREATE INDEX destination_domain ON destination (domain_index) WHERE state = 'confirmed';
CREATE INDEX destination_no_domain ON destination (id) WHERE domain_index IS NULL;
