-- Outbox to the forwarding provider: a row for each alias that is, was or should be there. Without foreign keys, because
-- a row outlives its alias until the provider has deleted its copy.
CREATE TABLE provider_alias (
  alias_id uuid PRIMARY KEY,
  user_id uuid NOT NULL,
  -- Number of the latest change, and of the one that the provider has.
  wanted integer NOT NULL DEFAULT 1,
  done integer NOT NULL DEFAULT 0,
  -- When the oldest change was made that the provider does not have.
  waiting_since timestamptz NOT NULL,
  -- When a worker has to look at the alias; null: never, until the next change.
  due_at timestamptz,
  -- When to look again whether an uncertain call was carried out late.
  recheck_at timestamptz,
  tries integer NOT NULL DEFAULT 0,
  lease uuid,
  leased_until timestamptz,
  -- Codes: why the last try failed, and why the alias is off at the provider.
  problem text,
  held text,
  -- Id, address and digests of the provider's copy; null before the first call.
  sealed bytea
);
CREATE INDEX provider_alias_due ON provider_alias ((coalesce(leased_until, due_at))) WHERE due_at IS NOT NULL;
CREATE INDEX provider_alias_turn ON provider_alias (user_id, (coalesce(leased_until, due_at))) WHERE due_at IS NOT NULL;
CREATE INDEX provider_alias_unfinished ON provider_alias (user_id) WHERE wanted <> done OR held IS NOT NULL;
