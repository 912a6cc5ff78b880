#!/bin/sh
# The command `kauke`. Run by root it becomes the server's user, so that nothing it creates in the data directory is
# root's; only `setup` stays root, because it writes the settings and starts the service.
: "${KAUKE_SETTINGS_FILE:=/etc/kauke/kauke.env}" "${KAUKE_DATA_DIR:=/var/lib/kauke}"
export KAUKE_SETTINGS_FILE KAUKE_DATA_DIR

if [ "$(id -u)" != 0 ]; then
  if [ ! -r "$KAUKE_SETTINGS_FILE" ] && [ "${1:---help}" != --help ]; then
    echo "You may not read $KAUKE_SETTINGS_FILE. Run: sudo kauke $*" >&2
    exit 1
  fi
elif [ "$1" != setup ]; then
  exec setpriv --reuid=kauke --regid=kauke --init-groups "$0" "$@"
fi
exec /usr/lib/kauke/bin/node /usr/lib/kauke/apps/server/src/cli/kauke.ts "$@"
