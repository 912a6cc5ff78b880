/** One state of a page, and how a person gets to it. */
import type { personas } from "@kauke/testkit/personas";
import type { Visit } from "../browser/browser.ts";

export interface Screen {
  /** Also the picture's file name. */
  name: string;
  /** Whose account is open; nobody's unless told. */
  as?: keyof typeof personas;
  /** At this width only. */
  width?: number;
  /** Something lies over the page where the window is: a picture shows the window, not the whole page. */
  overlay?: boolean;
  /** Rules of axe that it may break, none of them serious, each for a reason told where it is set. */
  tolerated?: readonly string[];
  open(visit: Visit): Promise<void>;
  /** The step to it from the screen listed before it, on the same page, signed in as the same persona, if it is only one. */
  goOn?(visit: Visit): Promise<void>;
}
