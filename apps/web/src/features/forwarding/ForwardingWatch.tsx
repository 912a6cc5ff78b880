/** Keeps the list's states at the forwarding provider fresh: one line if many aliases wait, changes for screen readers. */
import { Clock } from "lucide-react";
import { useState } from "react";
import { useAliases } from "../../api/aliases.ts";
import { useForwardingWatch } from "../../api/forwarding.ts";
import { addressOf } from "../aliases/alias-text.ts";
import { changeText, manyText } from "./forwarding-text.ts";
import { useForwarding } from "./NeedsEngine.tsx";

/** The change between the last two responses. */
function useChange(userId: string, provider: string) {
  const data = useForwardingWatch();
  const { data: aliases } = useAliases(userId);
  const [told, setTold] = useState({ data, text: "" });
  if (told.data !== data) {
    const find = (id: string) => aliases?.find((alias) => alias.id === id);
    const text = changeText(told.data, data, {
      provider,
      addressOf: (id) => {
        const alias = find(id);
        return alias === undefined ? null : addressOf(alias);
      },
    });
    setTold({ data, text: text === "" ? told.text : text });
  }
  return { data, text: told.text };
}

function Watch({ userId, provider }: { userId: string; provider: string }) {
  const { data, text } = useChange(userId, provider);
  const many = data === undefined ? null : manyText(data.counts, provider);
  return (
    <>
      <p className="sr" role="status">
        {text}
      </p>
      {many === null ? null : (
        <p className="set-up many">
          <Clock className="i" aria-hidden />
          <span>{many}</span>
        </p>
      )}
    </>
  );
}

export function ForwardingWatch({ userId }: { userId: string }) {
  const provider = useForwarding();
  return provider === null ? null : <Watch userId={userId} provider={provider.name} />;
}
