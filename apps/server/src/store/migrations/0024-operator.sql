-- The admin page: which accounts may use it, what operators did in the last 30 days, and deliveries that an operator took
-- out of the queue, which the delivery worker ends as failed.
ALTER TABLE "user" ADD COLUMN is_admin boolean NOT NULL DEFAULT false;
ALTER TABLE delivery ADD COLUMN dropped boolean NOT NULL DEFAULT false;
CREATE TABLE operator_act (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  -- 'command', or the id of an admin's account, which the row outlives.
  by text NOT NULL,
  act text NOT NULL,
  -- What it was done to.
  sealed bytea NOT NULL
);
CREATE INDEX operator_act_at ON operator_act (at);
