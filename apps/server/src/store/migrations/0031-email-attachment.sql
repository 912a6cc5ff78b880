-- Files uploaded for messages that are being composed. The file itself is a body in the spool, under the same id; its
-- name and type come with the message that takes it.
CREATE TABLE email_attachment (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" ON DELETE CASCADE,
  size_bytes integer NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX email_attachment_user ON email_attachment (user_id, id);
CREATE INDEX email_attachment_created ON email_attachment (created_at);
