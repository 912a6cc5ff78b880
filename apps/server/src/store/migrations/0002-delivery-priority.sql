-- Composed mail has a priority. Nearly all rows are 0, so the others have an index of their own and cost the rest nothing.
ALTER TABLE delivery ADD COLUMN priority integer NOT NULL DEFAULT 0;
CREATE INDEX delivery_urgent ON delivery (priority DESC, (coalesce(leased_until, not_before)))
  WHERE state = 'open' AND priority > 0;

-- Records of composed mail that ended are forgotten after their time.
CREATE INDEX email_job_ended ON email_job (updated_at) WHERE status IN ('sent', 'failed', 'cancelled');
