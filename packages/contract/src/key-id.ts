import * as z from "zod";

const guid = z.guid();

export const isKeyId = (text: string): boolean => guid.safeParse(text).success;
