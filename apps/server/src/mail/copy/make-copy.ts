/** Makes the copy of a message for an alias' destinations: plain, or encrypted when the owner wants that. */
import { type CopyParts, type ForwardCopy, type ForwardSource, makePlainCopy } from "./forward-copy.ts";
import { makeSealedCopy } from "./sealed-copy.ts";

export function makeForwardCopy(source: ForwardSource, parts: CopyParts): ForwardCopy {
  const { seal, aliasId, replyKey } = source;
  if (seal === null) return makePlainCopy(source, parts);
  if (aliasId === null || replyKey === null) throw new Error("only an alias' mail is sealed");
  return makeSealedCopy({ ...source, seal, aliasId, replyKey }, parts);
}
