#!/bin/sh
# The command `kauke` in the image, which runs as the server's user already: `podman exec kauke kauke doctor`.
exec /usr/lib/kauke/bin/node /usr/lib/kauke/apps/server/src/cli/kauke.ts "$@"
