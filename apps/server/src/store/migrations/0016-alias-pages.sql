-- Lists of aliases are read in pages by id, each a range of this index, and sorted by time in memory.
CREATE INDEX alias_user_id ON alias (user_id, id);
DROP INDEX alias_user;
