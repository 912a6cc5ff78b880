/** Text by a stranger, with its web addresses as links that open new tabs without opener or referrer. */
import { linkParts } from "./text/link-parts.ts";

export function LinkedText({ text }: { text: string }) {
  return linkParts(text).map(({ text: words, href }, index) =>
    href === null ? (
      words
    ) : (
      // The React key is the index, since the text never changes
      <a key={index} className="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
        {/* Isolated, so that bidirectional characters around the address can't reorder it. */}
        <bdi>{words}</bdi>
      </a>
    ),
  );
}
