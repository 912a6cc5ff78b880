-- What the server needs to get certificates from an issuer (ACME): the account's key, an order in flight, challenges,
-- the certificates with their keys. A lease lets one process at a time order.
CREATE TABLE certificate_record (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  name text NOT NULL,
  -- From when retention may delete the row; null: never.
  expires_at timestamptz,
  sealed bytea NOT NULL,
  UNIQUE (kind, name)
);
