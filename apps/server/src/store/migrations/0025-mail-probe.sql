-- Proofs of mail that the operator started: the address is a keyed hash; what was found is sealed.
CREATE TABLE mail_probe (
  id uuid PRIMARY KEY,
  address_index bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- How many messages came.
  messages integer NOT NULL DEFAULT 0,
  sealed bytea NOT NULL
);
