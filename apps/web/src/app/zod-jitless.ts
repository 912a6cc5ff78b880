/** Zod compiles functions from text, which our CSP forbids. Import before anything that uses zod. */
import * as z from "zod";

z.config({ jitless: true });
