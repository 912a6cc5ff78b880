-- Why the aliases on a domain end, some at a time, until none is left: 'removed' by its owner, and then the row goes too;
-- 'taken' by another account, which has proven the domain since.
ALTER TABLE account_domain ADD COLUMN ends text;
CREATE INDEX account_domain_name ON account_domain (domain_index);
