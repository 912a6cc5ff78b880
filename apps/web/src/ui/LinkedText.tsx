/** A stranger's text with links that open tabs of their own, which learn nothing of this page. */
import { linkParts } from "./text/link-parts.ts";

export function LinkedText({ text }: { text: string }) {
  return linkParts(text).map(({ text: words, href }, index) =>
    href === null ? (
      words
    ) : (
      // The text never changes
      <a key={index} className="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
        {/* Isolated: the text around it can't turn it round. */}
        <bdi>{words}</bdi>
      </a>
    ),
  );
}
