/**
 * Configuration of Postfix for the comparison: its defaults as far as a fair comparison permits, without artificial
 * delays. Pure functions.
 */

export interface MainCf {
  directory: string;
  /** Parent of `directory`, set as the permitted place of log files: Postfix writes its log nowhere else. */
  temporary: string;
  sinkPort: number;
  dkim: boolean;
  verifies?: boolean;
  tls?: { cert: string; key: string };
  srsPorts: { forward: number; reverse: number } | null;
}

export function mainCf({ directory, temporary, sinkPort, dkim, verifies = false, tls, srsPorts }: MainCf): string {
  const milters = [...(verifies ? ["verifier"] : []), ...(dkim ? ["opendkim"] : [])];
  return [
    "compatibility_level = 3.6",
    `queue_directory = ${directory}/spool`,
    `data_directory = ${directory}/data`,
    "daemon_directory = /usr/lib/postfix/sbin",
    "command_directory = /usr/sbin",
    `maillog_file = ${directory}/mail.log`,
    `maillog_file_prefixes = ${temporary}`,
    "myhostname = mx.in.test",
    "mydestination =",
    "mynetworks = 192.0.2.1/32",
    "inet_interfaces = 127.0.0.1",
    "inet_protocols = ipv4",
    "local_recipient_maps =",
    "alias_maps =",
    "virtual_alias_domains = in.test",
    `virtual_alias_maps = lmdb:${directory}/etc/virtual`,
    `relayhost = [127.0.0.1]:${sinkPort}`,
    "smtp_dns_support_level = disabled",
    "smtpd_peername_lookup = no",
    "smtpd_recipient_restrictions = reject_unauth_destination",
    "smtpd_client_connection_count_limit = 0",
    "message_size_limit = 52428800",
    // Five concurrent deliveries over cached connections were faster than 10, 20 and 100, with a sink without delay.
    "in_flow_delay = 0",
    "default_process_limit = 200",
    "default_destination_concurrency_limit = 5",
    "initial_destination_concurrency = 5",
    "smtp_connection_cache_destinations = static:all",
    ...(srsPorts === null ? [] : srsMaps(srsPorts)),
    `smtpd_milters = ${milters.map((name) => `unix:${directory}/run/${name}.sock`).join(" ")}`,
    ...(tls === undefined ? [] : tlsBothWays(tls)),
    "",
  ].join("\n");
}

function srsMaps({ forward, reverse }: { forward: number; reverse: number }): string[] {
  return [
    `sender_canonical_maps = tcp:127.0.0.1:${forward}`,
    "sender_canonical_classes = envelope_sender",
    `recipient_canonical_maps = tcp:127.0.0.1:${reverse}`,
    "recipient_canonical_classes = envelope_recipient, header_recipient",
  ];
}

/** TLS on both sides, with connection reuse; otherwise every delivery would need its own handshake. */
function tlsBothWays({ cert, key }: { cert: string; key: string }): string[] {
  return [
    "smtpd_tls_security_level = may",
    `smtpd_tls_chain_files = ${key}, ${cert}`,
    "smtp_tls_security_level = may",
    "smtp_tls_connection_reuse = yes",
  ];
}

/** Adapts the distribution's table of services: no chroot, SMTP on the given port. */
export function masterCf(distributed: string, port: number): string {
  return (
    distributed
      // Enables tlsproxy, which connection reuse with TLS needs and the distribution comments out.
      .replace(/^#(?=tlsproxy )/m, "")
      .replace(/^smtp +inet .*/m, `127.0.0.1:${port} inet n - n - - smtpd`)
      .replace(/^([a-z0-9:.]+ +(?:inet|unix|unix-dgram) +[yn-] +[yn-] +)y/gm, "$1n")
  );
}

/** Configuration of OpenDKIM for signing. It uses a Unix socket: over TCP the milter protocol stalls for 40 ms. */
export function openDkimConf(directory: string): string {
  return [
    "Mode s",
    `Socket local:${directory}/run/opendkim.sock`,
    "UMask 000",
    "Canonicalization relaxed/relaxed",
    `SigningTable refile:${directory}/signingtable`,
    `KeyTable ${directory}/keytable`,
    `InternalHosts ${directory}/hosts`,
    "RequireSafeKeys no",
    "UserID root",
    `PidFile ${directory}/opendkim.pid`,
    "",
  ].join("\n");
}

/** Configuration of the second OpenDKIM, which verifies signatures on arrival. */
export function verifierConf(directory: string): string {
  return [
    "Mode v",
    `Socket local:${directory}/run/verifier.sock`,
    "UMask 000",
    `TestPublicKeys ${directory}/publickeys`,
    "AuthservID mx.in.test",
    "On-BadSignature accept",
    "UserID root",
    `PidFile ${directory}/verifier.pid`,
    "",
  ].join("\n");
}
