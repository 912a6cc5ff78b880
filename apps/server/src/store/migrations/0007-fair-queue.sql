-- The queue is claimed in turns between accounts: from each account with due rows its first one, however many rows the others have.
-- Serves what the index on user_id alone did.
CREATE INDEX delivery_turn ON delivery (user_id, (coalesce(leased_until, not_before)));
DROP INDEX delivery_user;
