/**
 * A password or secret that the page may show for half a minute: hidden, on its way, or revealed. It lives in this component's
 * state alone and is gone when the panel closes.
 */
import { secretTimes } from "@kauke/contract";
import { useCallback, useState } from "react";
import { copySecret } from "../../ui/text/copy-text.ts";

export interface Revealed {
  secret: string;
  /** Made just now: to be copied before it hides. */
  isNew: boolean;
  /** Milliseconds of `Date.now()`. */
  until: number;
}

type Work = "view" | "copy" | "renew" | "create" | "delete";

export function useSecret() {
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const [busy, setBusy] = useState<Work | null>(null);
  const [heldFocus, setHeldFocus] = useState(false);
  const hide = useCallback((hadFocus = false) => {
    setHeldFocus(hadFocus);
    setRevealed(null);
  }, []);
  const show = (secret: string, isNew: boolean) =>
    setRevealed({ secret, isNew, until: Date.now() + secretTimes.visibleMs });
  /** One thing at a time, so that no late answer shows a password that is dead already. */
  const during = async <Result>(work: Work, run: () => Promise<Result>): Promise<Result> => {
    setBusy(work);
    try {
      return await run();
    } finally {
      setBusy(null);
    }
  };
  return {
    revealed,
    busy,
    /** Whether the focus was there when it hid: what comes in its place takes it over. */
    heldFocus,
    hide,
    during,
    view: (read: () => Promise<string>) => during("view", async () => show(await read(), false)),
    /** @param named what the toast calls it @returns whether it is in the clipboard now */
    copy: (read: () => Promise<string>, named: string) => during("copy", () => copyWhenRead(read(), named)),
    /** What was revealed is dead from here on. */
    renew: (make: () => Promise<string>, work: "renew" | "create" = "renew") =>
      during(work, async () => {
        hide();
        show(await make(), true);
      }),
  };
}

export type Secret = ReturnType<typeof useSecret>;

async function copyWhenRead(secret: Promise<string>, named: string): Promise<boolean> {
  const isCopied = await copySecret(secret, named);
  await secret;
  return isCopied;
}
