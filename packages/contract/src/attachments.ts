/** Attachments of composed mail: uploaded first, then named by the message that takes them. */
import * as z from "zod";
import { limits } from "./limits.ts";

export const attachmentMessages = {
  invalid: "Each attachment needs the id of its upload and a name",
  many: `A message can have ${limits.attachmentsMax} attachments at most`,
  nameLong: `A file name can have ${limits.attachmentNameMax} characters at most`,
  gone: "An attachment is no longer on the server. Please attach the file again",
  together: "The attachments are too large: together they make the message larger than this server sends",
  leaks:
    "This attachment holds the address this alias forwards to. Leave it out, or switch the leak guard off in Settings",
  unsearched:
    "This attachment can't be searched for the address this alias forwards to. Leave it out, or switch the leak guard off in Settings",
  plain: "With encryption on, each attachment must be encrypted, too",
  empty: "The body must be the file.",
  cutOff: "The file did not arrive whole.",
  tooLarge: "This file is too large to be sent by e-mail from this server.",
  tooSlow: "The file arrived too slowly. Please try again.",
  shareFull: "Your attachments that are not sent yet take up too much space. Send or remove some first.",
} as const;

/** MIME type of a file for which the browser gives none. */
export const UNKNOWN_FILE_TYPE = "application/octet-stream";

export const attachmentList = z
  .array(
    z.object(
      {
        id: z.uuid(attachmentMessages.invalid).toLowerCase(),
        name: z.string(attachmentMessages.invalid).max(limits.attachmentNameMax, attachmentMessages.nameLong),
        /** Media type, e.g. `image/png`. */
        type: z
          .string(attachmentMessages.invalid)
          .max(limits.attachmentNameMax, attachmentMessages.invalid)
          .default(UNKNOWN_FILE_TYPE),
      },
      attachmentMessages.invalid,
    ),
    attachmentMessages.invalid,
  )
  .max(limits.attachmentsMax, attachmentMessages.many);

export const attachmentEndpoints = {
  uploadEmailAttachment: {
    summary: `Store a file for a message to be composed; the body is the file's bytes. It is deleted after ${limits.attachmentKeptHours} hours unless a message has taken it`,
    bytesBody: true,
    bodyMaxBytes: limits.attachmentMaxBytes,
    status: 201,
    errors: [400, 409, 413, 429, 503],
    response: z.object({ attachmentId: z.uuid(), sizeBytes: z.number() }),
  },
  deleteEmailAttachment: {
    summary: "Delete a stored file that no message has taken",
    params: z.object({ attachmentId: z.string() }),
    status: 200,
    response: z.object({ message: z.string() }),
  },
} as const;
