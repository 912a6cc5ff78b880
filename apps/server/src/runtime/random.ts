/** The operating system's random numbers, as core's `Random`. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Random } from "./ports.ts";

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };
