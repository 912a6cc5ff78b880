-- The day on which a mail program last signed in with the credentials; no time and no address.
ALTER TABLE smtp_credential ADD COLUMN last_used_on text;
