-- Outbox to the forwarding provider: a row for each alias that is, was or should be there. Without foreign keys, because
-- a row outlives its alias until the provider has deleted its copy.
CREATE TABLE provider_alias (
  alias_id uuid PRIMARY KEY,
  user_id uuid NOT NULL,
  -- Number of the latest change, and of the one that the provider has.
  wanted integer NOT NULL DEFAULT 1,
  done integer NOT NULL DEFAULT 0,
  -- Place among the waiting rows of the account: accounts take turns.
  turn integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL,
  -- When to look again whether an uncertain call was carried out late.
  recheck_at timestamptz,
  lease uuid,
  leased_until timestamptz,
  -- Codes: why the last try failed, and why the alias is off at the provider.
  problem text,
  held text,
  -- Id, address and digests of the provider's copy; null before the first call.
  sealed bytea
);
CREATE INDEX provider_alias_due ON provider_alias (turn, not_before) WHERE wanted <> done;
CREATE INDEX provider_alias_recheck ON provider_alias (recheck_at) WHERE recheck_at IS NOT NULL;
CREATE INDEX provider_alias_unfinished ON provider_alias (user_id, turn) WHERE wanted <> done OR held IS NOT NULL;
