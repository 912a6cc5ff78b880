/** Commands on keys. They print the purpose and age of a key, never the key. */
import { setTimeout as wait } from "node:timers/promises";
import type { RotationState } from "../../store/sealing/key-rotation.ts";
import { type Command, jsonText, print } from "./command.ts";

const uses = {
  seals: "seals new data",
  opens: "opens older data only; deleted when no data uses it",
  waits: "new; seals once every process knows it",
  stays: "can't be rotated while mail and accounts depend on it",
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
  about: "makes a new sealing key and reseals all rows with it while the server runs",
  options: { wrapping: "instead makes a new secret.key, which wraps the same keys" },
  async run({ access: open, values }) {
    const access = await open();
    if (values.wrapping === true) {
      await access["keys-wrapping"]({});
      return print("secret.key was replaced. Keep a copy of it; older backups need the old one.\n");
    }
    let state = await access["keys-rotate"]({});
    const isShown = values.json !== true;
    while (state.step !== "none") {
      if (isShown) print(progressOf(state));
      await wait(state.step === "waits" ? 5000 : 500);
      state = await access["keys-state"]({});
    }
    return isShown ? print(`Done: ${state.resealed} rows resealed.\n`) : print(jsonText(state));
  },
};

function progressOf({ step, resealed, total }: RotationState): string {
  if (step === "waits") return "The new key exists. It is used once every process knows it, in about a minute.\n";
  return total === null ? "The new key exists. Rows are being counted.\n" : `${resealed} of ${total} rows resealed.\n`;
}
