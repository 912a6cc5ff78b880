/**
 * Writes an image as one archive that is both an OCI layout and what `docker load` of any age and `podman load` read.
 * buildah's own archives differ from build to build, because its configurations name the container; and its OCI ones
 * have no health check, which OCI itself has no place for, but which Docker reads from the same configuration.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { output } from "./programs.ts";
import type { Release } from "./release.ts";

interface DockerManifest {
  Config: string;
  Layers: readonly string[];
}

/** @param folder with an unpacked `docker-archive` of one layer @param work folder to create */
export function writeImageArchive(
  folder: string,
  { file, work, release }: { file: string; work: string; release: Release },
) {
  const [manifest] = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as DockerManifest[];
  const config = JSON.parse(readFileSync(join(folder, manifest?.Config ?? ""), "utf8")) as Record<string, unknown>;
  delete config.container;
  mkdirSync(join(work, "blobs/sha256"), { recursive: true });
  const put = (bytes: Buffer | string, mediaType: string) => {
    const digest = createHash("sha256").update(bytes).digest("hex");
    writeFileSync(join(work, "blobs/sha256", digest), bytes);
    return {
      mediaType: `application/vnd.oci.image.${mediaType}`,
      digest: `sha256:${digest}`,
      size: Buffer.byteLength(bytes),
    };
  };
  const layer = put(gzipSync(readFileSync(join(folder, manifest?.Layers[0] ?? "")), { level: 9 }), "layer.v1.tar+gzip");
  const described = put(JSON.stringify(config), "config.v1+json");
  const head = { schemaVersion: 2, mediaType: "application/vnd.oci.image.manifest.v1+json" };
  const whole = put(JSON.stringify({ ...head, config: described, layers: [layer] }), "manifest.v1+json");
  const name = `localhost/kauke:${release.shown}`;
  const annotations = { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": release.shown };
  const pathOf = ({ digest }: { digest: string }) => `blobs/${digest.replace(":", "/")}`;
  const texts = {
    "oci-layout": { imageLayoutVersion: "1.0.0" },
    "index.json": { schemaVersion: 2, manifests: [{ ...whole, annotations }] },
    "manifest.json": [{ Config: pathOf(described), RepoTags: [name], Layers: [pathOf(layer)] }],
  };
  for (const [path, value] of Object.entries(texts)) writeFileSync(join(work, path), JSON.stringify(value));
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  const sorted = ["--sort=name", "--format=ustar", `--mtime=@${release.commitSeconds}`, ...owner];
  output("tar", ["-c", ...sorted, "-f", file, "-C", work, "blobs", ...Object.keys(texts)]);
}
