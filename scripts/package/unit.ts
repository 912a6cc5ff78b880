/** The systemd unit of the package. */
import { serverFlags } from "../launch/server-flags.mjs";

/** SIGTERM is followed by at most 5 seconds of shutdown (apps/server/src/serve.ts); more means that it hangs. */
const STOP_SECONDS = 20;

const confinement = `AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# V8 writes machine code into memory that it then runs.
MemoryDenyWriteExecute=no
`;

export function serviceUnit(): string {
  return `[Unit]
Description=Kauke, server for e-mail aliases
Documentation=man:kauke(8) file:///usr/share/doc/kauke/operating.md
After=network-online.target postgresql.service
Wants=network-online.target
# A mail server comes back however often it ends.
StartLimitIntervalSec=0

[Service]
# Nothing starts before something is set up: the file that is installed sets nothing.
ExecCondition=/bin/grep -Eqs "^[[:space:]]*(export[[:space:]]+)?[A-Za-z_]+[[:space:]]*=" /etc/kauke/kauke.env
ExecStart=/usr/lib/kauke/bin/node ${serverFlags.join(" ")} /usr/lib/kauke/apps/server/src/main.ts
Environment=NODE_ENV=production
Environment=KAUKE_SETTINGS_FILE=/etc/kauke/kauke.env
Environment=KAUKE_DATA_DIR=/var/lib/kauke
Environment=NODE_COMPILE_CACHE=/var/cache/kauke
User=kauke
Group=kauke
WorkingDirectory=/var/lib/kauke
StateDirectory=kauke
StateDirectoryMode=0700
CacheDirectory=kauke
CacheDirectoryMode=0700
# For kauke backup.
ReadWritePaths=-/var/backups/kauke
UMask=0077
# To the main process first: it shuts its own helpers down.
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=${STOP_SECONDS}
Restart=on-failure
RestartSec=2
LimitCORE=0
LimitNOFILE=65536

${confinement}
[Install]
WantedBy=multi-user.target
`;
}
