import { encryptionMessages } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import { decryptAuto, decryptManual } from "../../core/encryption-key.ts";
import type { HandlersOf } from "../handler.ts";

export function decryptHandlers(deps: CoreDeps): HandlersOf<"decryptAuto" | "decryptManual"> {
  return {
    async decryptAuto({ userId, body }) {
      const decryptedText = await decryptAuto(deps, { userId, ...body });
      if (decryptedText !== null) return { success: true, decryptedText };
      return { success: false, needsRecreation: true, message: encryptionMessages.needsRecreation };
    },
    async decryptManual({ userId, body }) {
      return { success: true, decryptedText: await decryptManual(deps, { userId, ...body }) };
    },
  };
}
