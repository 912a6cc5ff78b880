-- Each change of an account sets updated_at. A row that is sealed anew, or gets the account's key of drafts, is no news:
-- the page that asked for that key would fetch the account's settings again.
DROP TRIGGER live ON "user";
CREATE TRIGGER live AFTER UPDATE OF updated_at ON "user" FOR EACH ROW EXECUTE FUNCTION live_account('settings');
