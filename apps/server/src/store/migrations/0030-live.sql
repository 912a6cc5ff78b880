-- Tells which kind of data of an account a commit has changed: an account's id and a kind (packages/contract/src/live.ts),
-- nothing of the data itself. PostgreSQL sends equal notifications of a transaction once.
CREATE FUNCTION live_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('kauke_live', coalesce(NEW.user_id, OLD.user_id) || ' ' || TG_ARGV[0])
; RETURN NULL
; END $$;
CREATE FUNCTION live_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('kauke_live', NEW.id || ' ' || TG_ARGV[0])
; RETURN NULL
; END $$;
-- For tables of which a statement may change thousands of rows.
CREATE FUNCTION live_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('kauke_live', user_id || ' ' || TG_ARGV[0]) FROM (SELECT DISTINCT user_id FROM changed) AS accounts
; RETURN NULL
; END $$;

CREATE TRIGGER live_insert AFTER INSERT ON alias REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('aliases');
CREATE TRIGGER live_update AFTER UPDATE ON alias REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('aliases');
CREATE TRIGGER live_delete AFTER DELETE ON alias REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('aliases');
CREATE TRIGGER live_insert AFTER INSERT ON provider_alias REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('forwarding');
CREATE TRIGGER live_update AFTER UPDATE ON provider_alias REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('forwarding');
CREATE TRIGGER live_delete AFTER DELETE ON provider_alias REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('forwarding');
CREATE TRIGGER live_insert AFTER INSERT ON checklist REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('checklist');
CREATE TRIGGER live_update AFTER UPDATE ON checklist REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('checklist');
CREATE TRIGGER live_delete AFTER DELETE ON checklist REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION live_rows('checklist');

-- A session or API key that is used is updated, and that is no news.
CREATE TRIGGER live AFTER INSERT OR DELETE ON session FOR EACH ROW EXECUTE FUNCTION live_row('sessions');
CREATE TRIGGER live AFTER INSERT OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION live_row('keys');
CREATE TRIGGER live AFTER UPDATE ON "user" FOR EACH ROW EXECUTE FUNCTION live_account('settings');
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON encryption_key
  FOR EACH ROW EXECUTE FUNCTION live_row('keys');
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON smtp_credential
  FOR EACH ROW EXECUTE FUNCTION live_row('aliases');
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON label FOR EACH ROW EXECUTE FUNCTION live_row('labels');
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON destination FOR EACH ROW EXECUTE FUNCTION live_row('mailboxes');
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON mailbox FOR EACH ROW EXECUTE FUNCTION live_row('mailboxes');
-- A mailbox' refusals are counted there; the owner sees that it was suspended.
CREATE TRIGGER live AFTER INSERT OR UPDATE OF suspended_at OR DELETE ON missing_mailbox
  FOR EACH ROW EXECUTE FUNCTION live_row('mailboxes');
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON notice FOR EACH ROW EXECUTE FUNCTION live_row('notices');
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON email_job FOR EACH ROW EXECUTE FUNCTION live_row('jobs');
CREATE TRIGGER live AFTER INSERT OR UPDATE OR DELETE ON alias_import FOR EACH ROW EXECUTE FUNCTION live_row('imports');
