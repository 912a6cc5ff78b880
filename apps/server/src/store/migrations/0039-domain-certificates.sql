-- Certificates of the hosts at which own domains publish their MTA-STS policy: an order in flight, its key, the last
-- certificate. A row's id is its domain's.
CREATE TABLE account_domain_certificate (
  id uuid PRIMARY KEY REFERENCES account_domain ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  state text NOT NULL,
  -- When to order or to renew next; null: the host does not lead here.
  due_at timestamptz,
  leased_until timestamptz,
  sealed bytea NOT NULL
);
CREATE INDEX account_domain_certificate_user ON account_domain_certificate (user_id);
CREATE INDEX account_domain_certificate_due ON account_domain_certificate (coalesce(leased_until, due_at)) WHERE due_at IS NOT NULL;
CREATE TRIGGER live AFTER INSERT OR UPDATE OF state ON account_domain_certificate FOR EACH ROW EXECUTE FUNCTION live_row('domains');
