/** Says that the decrypted text contains several encrypted messages, and offers those that are not shown. */
import { Info } from "lucide-react";
import { failureText } from "./decrypt-failure.ts";
import type { Message } from "./open-encrypted.ts";
import type { Decryption } from "./use-decrypt.ts";

/** @example messageName(messages, 0) // "message 1, quoted" */
function messageName(messages: readonly Message[], index: number): string {
  const isQuoted = (messages[index]?.quoteDepth ?? 0) > 0;
  return `message ${index + 1}${isQuoted ? ", quoted" : ""}`;
}

export function OtherMessages({ result, show }: Pick<Decryption, "result" | "show">) {
  if (result === null || result.messages.length < 2) return null;
  const { messages, shown } = result;
  return (
    <div className="note note-plain others">
      <Info className="i" aria-hidden />
      <div>
        <b>There are {messages.length} encrypted messages in what you entered</b>
        <p>
          Shown is {messageName(messages, shown)}
          {messages[shown]?.quoteDepth === 0 && messages.some(({ quoteDepth }) => quoteDepth > 0)
            ? ", which is not quoted"
            : ""}
          .
        </p>
        {messages.map(({ failure }, index) =>
          failure === null ? null : (
            <p key={index}>
              Not shown is {messageName(messages, index)}: {failureText(failure)}
            </p>
          ),
        )}
        <div className="acts">
          {messages.map(({ opened }, index) =>
            opened === null || index === shown ? null : (
              <button key={index} type="button" className="btn btn-sm" onClick={() => show(index)}>
                Show {messageName(messages, index)}
              </button>
            ),
          )}
        </div>
      </div>
    </div>
  );
}
