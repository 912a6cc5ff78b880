/** Control calls that list and rotate the server's keys. Answers contain purpose and age of a key, never the key. */

import type { Store } from "../../store/open-store.ts";
import type { RotationState } from "../../store/sealing/key-rotation.ts";
import type { ControlHandlers } from "./control-protocol.ts";
import { OperatorError } from "./operator-error.ts";

type KeyCalls = Pick<ControlHandlers, "keys-list" | "keys-rotate" | "keys-state" | "keys-wrapping">;

export function keyCalls({ keyKeeper, rotateWrapping }: Store): KeyCalls {
  return {
    "keys-list": async () =>
      (await keyKeeper.list()).map(({ createdAt, ...key }) => ({ ...key, createdAt: createdAt.toISOString() })),
    "keys-rotate": async () => {
      if (await keyKeeper.rotate()) return keyKeeper.state();
      throw new OperatorError(stillInProgress(keyKeeper.state()));
    },
    "keys-state": async () => keyKeeper.state(),
    "keys-wrapping": async () => {
      if (rotateWrapping === null) throw new OperatorError(givenBySetting);
      await rotateWrapping();
      return true;
    },
  };
}

const givenBySetting =
  "The wrapping key was given by KAUKE_SECRET_KEY, so this process can't replace it. Rotate the sealing key instead (without --wrapping), or use a secret.key file with the embedded database.";

function stillInProgress({ step, resealed, total }: RotationState): string {
  const done = step === "reseals" && total !== null ? `: ${resealed} of ${total} rows are resealed` : "";
  return `An earlier rotation is still in progress${done}. It continues by itself; \`kauke doctor\` says when it is finished.`;
}
