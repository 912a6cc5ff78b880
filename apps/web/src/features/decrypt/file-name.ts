/** A file name that a stranger chose, as it may be given to the person's own device. Pure. */

/** What no system wants in a name, and what makes a name look like another one: controls, direction marks, unseen characters. */
const unfit = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<>:"/\\|?*\u115f\u1160\u3164\uffa0]/gu;
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const longest = 120;
const longestEnding = 16;

/** @param number its place in the message, for one that is left without a name, e.g. `attachment-2` */
export function cleanFileName(name: string, number: number): string {
  const seen = name.normalize("NFC").replace(unfit, " ").replace(/\s+/g, " ");
  // Neither hidden by a dot in front, nor cut by one behind.
  const trimmed = seen.replace(/^[. ]+|[. ]+$/g, "");
  if (trimmed === "") return `attachment-${number}`;
  return shortened(device.test(trimmed) ? `_${trimmed}` : trimmed);
}

/** Keeps the ending, which says what the file is. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= longest) return name;
  const dot = characters.lastIndexOf(".");
  const ending = dot > 0 && characters.length - dot <= longestEnding ? characters.slice(dot) : [];
  return [...characters.slice(0, longest - ending.length), ...ending].join("");
}
