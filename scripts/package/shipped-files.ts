/** Which files of the repository and of npm packages go into a package. */

const sources = /^(?:apps\/server|packages\/[^/]+)\/(?:package\.json$|src\/)/;
const forTests = /\.(?:test|testing)\.ts$|^apps\/server\/src\/(?:.*\/)?test\//;

/** @param path in the repository, with slashes */
export function isShippedSource(path: string): boolean {
  return sources.test(path) && !forTests.test(path);
}

/** @param path in apps/web/dist. `former/` contains files of earlier builds. */
export function isShippedWebFile(path: string): boolean {
  return !path.startsWith("former/");
}

const noCode = /\.(?:map|ts|mts|cts|md|markdown|ya?ml|tsbuildinfo|html|coffee|sh)$/i;
const noCodeFolders = /^(?:tests?|__tests__|integration|docs?|examples?|benchmarks?|scripts)\//;
const licence = /(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i;

/** @param path in an npm package. Licences stay; what only people and build tools read does not. */
export function isShippedModuleFile(path: string): boolean {
  if (path.startsWith("node_modules/")) return false;
  return licence.test(path) || !(noCode.test(path) || noCodeFolders.test(path) || /(?:^|\/)\./.test(path));
}
