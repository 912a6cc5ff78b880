/** One state of a page, and the steps that lead to it. */
import type { personas } from "@kauke/testkit/personas";
import type { Visit } from "../browser/browser.ts";

export interface Screen {
  /** Name of the screen, also the picture's file name. */
  name: string;
  /** Persona that is signed in; by default nobody. */
  as?: keyof typeof personas;
  /** The only window width at which the screen exists. */
  width?: number;
  /** Whether something is laid over the window: the picture then shows the window, not the whole page. */
  overlay?: boolean;
  /** Rules of axe that the screen may break, none of them serious, each with its reason where it is set. */
  tolerated?: readonly string[];
  /**
   * Whether only `npm run test:long` checks it: another state of a page or dialog whose main state `npm test` checks.
   */
  onlyLong?: boolean;
  open(visit: Visit): Promise<void>;
  /**
   * The step from the screen listed before it, on the same page, signed in as the same persona, if one step is enough.
   */
  goOn?(visit: Visit): Promise<void>;
}
