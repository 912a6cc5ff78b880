/** The server's keys as the operator may know and rotate them: what they are for and how old they are, never a byte of one. */

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
      throw new OperatorError(notOverYet(keyKeeper.state()));
    },
    "keys-state": async () => keyKeeper.state(),
    "keys-wrapping": async () => {
      if (rotateWrapping === null) throw new OperatorError(givenByHand);
      await rotateWrapping();
      return true;
    },
  };
}

const givenByHand =
  "The wrapping key was given by KAUKE_SECRET_KEY, so this process can't put another one in its place. Rotate the sealing key (without --wrapping), or take the key out of a secret.key of the embedded database.";

function notOverYet({ step, resealed, total }: RotationState): string {
  const done = step === "reseals" && total !== null ? `: ${resealed} of ${total} rows are sealed anew` : "";
  return `An earlier rotation is not over yet${done}. It goes on by itself; \`kauke doctor\` says when it is over.`;
}
