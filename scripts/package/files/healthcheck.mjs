/** HEALTHCHECK of the image: exit code 0 when the server says that it is well, or redirects to https. */
import { readFileSync } from "node:fs";
import { request } from "node:http";

function portInFile() {
  try {
    const text = readFileSync(process.env.KAUKE_SETTINGS_FILE ?? "", "utf8");
    return /^\s*(?:export\s+)?KAUKE_HTTP_PORT\s*=\s*["']?(\d+)/m.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

const port = Number(process.env.KAUKE_HTTP_PORT || portInFile() || 3000);
const asked = request({ host: "localhost", port, path: "/healthz", timeout: 5000 }, (response) => {
  response.resume();
  process.exitCode = (response.statusCode ?? 500) < 400 ? 0 : 1;
});
asked.on("timeout", () => asked.destroy(new Error("timeout")));
asked.on("error", () => {
  process.exitCode = 1;
});
asked.end();
