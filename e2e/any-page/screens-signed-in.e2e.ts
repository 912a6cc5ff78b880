/** Every screen of somebody signed in, as everybody meets it (look-at-screens.ts). */
import { lookAtScreens } from "../screens/look-at-screens.ts";
import { screens } from "../screens/screen-list.ts";

lookAtScreens(screens.filter(({ as }) => as !== undefined));
