import * as z from "zod";

const guid = z.guid();

/** Whether a text has the format of an encryption key's id (a UUID). */
export const isKeyId = (text: string): boolean => guid.safeParse(text).success;
