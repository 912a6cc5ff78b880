/** Every screen of somebody signed in, as everybody meets it (look-at-screens.ts). */
import { lookAtScreens } from "./look-at-screens.ts";
import { screens } from "./screen-list.ts";

lookAtScreens(screens.filter(({ as }) => as !== undefined));
