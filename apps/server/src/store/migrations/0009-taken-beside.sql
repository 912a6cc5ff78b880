-- Whether another destination of the same alias took the message: its sender is told only when none did.
ALTER TABLE delivery ADD COLUMN taken_beside boolean NOT NULL DEFAULT false;
