-- Invitations to register: single-use links that the operator makes. The token is a keyed hash; the e-mail address that
-- an invitation is bound to is sealed. A registration deletes the row in the transaction that creates the account.
CREATE TABLE invitation (
  id uuid PRIMARY KEY,
  token_index bytea NOT NULL CONSTRAINT invitation_token_index_key UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX invitation_expires_at ON invitation (expires_at);
