/** Whether the long rounds run (`npm run test:long`), and how tests print their figures. */

export const isLongRun = process.env.LONG_ROUNDS === "1";

/** @example rounds(20, 100) // 20 in `npm test`, 100 in `npm run test:long` */
export const rounds = (usual: number, long: number): number => (isLongRun ? long : usual);

/** Prints one line of figures beside the test's result. */
export function printFigures(name: string, figures: Readonly<Record<string, number | string>>): void {
  const list = Object.entries(figures).map(([what, value]) => `${what} ${value}`);
  process.stdout.write(`${name}: ${list.join(", ")}\n`);
}
