/** What one SMTP session may ask for before it is shown out or told to wait. */
export const maxRecipients = 100;
export const maxErrors = 20;
/** Commands between two messages, RCPT not counted. */
export const maxCommands = 300;
/** Room below which a message is not even begun. */
export const minRoomBytes = 65_536;
export const maxUnreadBytes = 262_144;
