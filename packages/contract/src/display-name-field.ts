import * as z from "zod";
import { cleanDisplayName, displayNameMessages, displayNameProblem } from "./display-name.ts";
import { limits } from "./limits.ts";

/** An empty text removes the name. */
export const displayNameField = z
  .string(displayNameMessages.text)
  .max(limits.displayNameMaxBytes, displayNameMessages.length)
  .transform(cleanDisplayName)
  .superRefine((name, ctx) => {
    const message = displayNameProblem(name);
    if (message !== null) ctx.addIssue({ code: "custom", message });
  });
