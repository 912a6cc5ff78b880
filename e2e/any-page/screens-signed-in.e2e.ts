/** Checks every screen of a signed-in person in all variants (look-at-screens.ts). */
import { lookAtScreens } from "../screens/look-at-screens.ts";
import { screens } from "../screens/screen-list.ts";

lookAtScreens(screens.filter(({ as }) => as !== undefined));
