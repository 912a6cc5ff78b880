-- Own domains of accounts. Several accounts may add the same domain; one of them can have proven it, and
-- holds it until its records in DNS were wrong for long.
CREATE TABLE account_domain (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  domain_index bytea NOT NULL,
  state text NOT NULL,
  created_at timestamptz NOT NULL,
  proven_at timestamptz,
  checked_at timestamptz,
  failing_since timestamptz,
  state_until timestamptz,
  counted_at timestamptz,
  due_at timestamptz,
  leased_until timestamptz,
  unanswered_checks integer NOT NULL DEFAULT 0,
  sealed bytea NOT NULL
);
CREATE UNIQUE INDEX account_domain_own ON account_domain (user_id, domain_index);
CREATE UNIQUE INDEX account_domain_held ON account_domain (domain_index) WHERE state <> 'new';
CREATE INDEX account_domain_due ON account_domain (coalesce(leased_until, due_at)) WHERE due_at IS NOT NULL;
CREATE TABLE account_domain_key (
  id uuid PRIMARY KEY,
  domain_id uuid NOT NULL REFERENCES account_domain ON DELETE CASCADE,
  selector text NOT NULL,
  state text NOT NULL,
  created_at timestamptz NOT NULL,
  sealed bytea NOT NULL
);
CREATE UNIQUE INDEX account_domain_key_selector ON account_domain_key (domain_id, selector);
ALTER TABLE alias ADD COLUMN domain_id uuid REFERENCES account_domain;
CREATE INDEX alias_domain ON alias (domain_id) WHERE domain_id IS NOT NULL;
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON account_domain FOR EACH ROW EXECUTE FUNCTION live_row('domains');
