import * as z from "zod";

const guid = z.guid();

/** Whether a text is spelled like the id of an encryption key. */
export const isKeyId = (text: string): boolean => guid.safeParse(text).success;
