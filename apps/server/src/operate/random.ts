/** The operating system's random numbers, behind core's port. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Random } from "../core/ports.ts";

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };
