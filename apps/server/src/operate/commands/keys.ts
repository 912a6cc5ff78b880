/** Keys of the server. What is printed is what they are for and since when, never a key. */
import { setTimeout as wait } from "node:timers/promises";
import type { RotationState } from "../../store/sealing/key-rotation.ts";
import { type Command, jsonText, print } from "./command.ts";

const uses = {
  seals: "seals what is stored now",
  opens: "only opens what it sealed; deleted when nothing uses it",
  waits: "made; seals once every process knows it",
  stays: "can't be rotated while mail and accounts hang on it",
} as const;

export const keysList: Command = {
  usage: "keys list",
  about: "the server's keys: number, purpose, date, use",
  options: {},
  async run({ access, values }) {
    const keys = await (await access())["keys-list"]({});
    if (values.json === true) return print(jsonText(keys));
    const width = Math.max(...keys.map(({ purpose }) => purpose.length));
    const lines = keys.map(
      ({ id, purpose, createdAt, use }) =>
        `${String(id).padStart(3)}  ${purpose.padEnd(width)}  ${createdAt.slice(0, 10)}  ${uses[use]}`,
    );
    return print(`${lines.join("\n")}\n`);
  },
};

export const keysRotate: Command = {
  usage: "keys rotate",
  about: "a new sealing key; everything stored is sealed anew with it while mail flows",
  options: { wrapping: "instead: a new secret.key, under which the same keys are wrapped anew" },
  async run({ access: open, values }) {
    const access = await open();
    if (values.wrapping === true) {
      await access["keys-wrapping"]({});
      return print("secret.key is a new one. Keep a copy of it; backups made before need the old one.\n");
    }
    let state = await access["keys-rotate"]({});
    const isShown = values.json !== true;
    while (state.step !== "none") {
      if (isShown) print(progressOf(state));
      await wait(state.step === "waits" ? 5000 : 500);
      state = await access["keys-state"]({});
    }
    return isShown ? print(`Done: ${state.resealed} rows sealed anew.\n`) : print(jsonText(state));
  },
};

function progressOf({ step, resealed, total }: RotationState): string {
  if (step === "waits") return "Made. It seals once every process knows it, in about a minute.\n";
  return total === null ? "Made. Rows are being counted.\n" : `${resealed} of ${total} rows sealed anew.\n`;
}
