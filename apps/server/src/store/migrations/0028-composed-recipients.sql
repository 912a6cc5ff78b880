-- Several recipients of one composed message: each has a delivery of its own, numbered by its place in the list.
ALTER TABLE delivery ADD COLUMN job_place smallint;
-- An attempt of composed mail runs, was cut off, or was handed over to a provider. `email_job.status` no longer says so.
ALTER TABLE delivery ADD COLUMN is_sending boolean NOT NULL DEFAULT false;
-- What became of each recipient, by place: null while it waits.
ALTER TABLE email_job ADD COLUMN outcomes text[] NOT NULL DEFAULT '{}';
UPDATE delivery SET job_place = 0, is_sending = email_job.status = 'sending' FROM message, email_job
WHERE message.id = delivery.message_id AND email_job.id = message.email_job_id;
UPDATE email_job SET outcomes = ARRAY[CASE WHEN status IN ('pending', 'sending') THEN NULL ELSE status END];
-- Retries of waiting messages are counted by their deliveries.
UPDATE email_job SET status = 'pending', current_retries = 0 WHERE status IN ('pending', 'sending');
