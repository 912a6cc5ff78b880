import type account from "./de/account.json";
import type admin from "./de/admin.json";
import type aliases from "./de/aliases.json";
import type common from "./de/common.json";
import type guides from "./de/guides.json";
import type keys from "./de/keys.json";
import type letters from "./de/letters.json";
import type move from "./de/move.json";
import type publicPages from "./de/public.json";

type Catalogue = typeof account &
  typeof admin &
  typeof aliases &
  typeof common &
  typeof guides &
  typeof keys &
  typeof letters &
  typeof move &
  typeof publicPages;

/** English texts that the catalogues translate. */
export type Text = keyof Catalogue;
