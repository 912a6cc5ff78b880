/** `/usr/share/doc/kauke/copyright`: Kauke's own licence, and those of everything the package contains. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lockOf } from "./program-tree.ts";
import { shippedPackages } from "./shipped-packages.ts";
import type { Target } from "./targets.ts";

export function copyrightFile(checkout: string, target: Target): string {
  const lock = lockOf(checkout);
  const modulesOf = (app: string) =>
    shippedPackages(lock, target, app)
      .filter((path) => path.startsWith("node_modules/"))
      .map((path) => `  ${path.slice("node_modules/".length)}: ${lock[path]?.license ?? "see its package.json"}`)
      .join("\n");
  return `Kauke, a server for e-mail aliases.

${readFileSync(join(checkout, "LICENSE"), "utf8").trim()}

/usr/lib/kauke/bin/node is Node.js, copyright Node.js contributors, and contains
other programs; its licences are in node-LICENSE.gz beside this file.

The npm packages in /usr/lib/kauke, with their licences (the texts are in the
folders of the packages, that of the Apache licence also in
/usr/share/common-licenses/Apache-2.0):

${modulesOf("apps/server")}

The built web app contains code of these npm packages, and the typeface Geist
(SIL Open Font License 1.1):

${modulesOf("apps/web")}
`;
}
