/** Configuration of Haraka for the comparison: it relays within the sender's transaction and stores nothing. */

export interface HarakaSetup {
  port: number;
  sinkPort: number;
  aliases: readonly (readonly [alias: string, mailbox: string])[];
  /** Whether signatures are checked on arrival. */
  verifies: boolean;
  /** Whether STARTTLS is offered to senders and used to the destination; needs tls_key.pem and tls_cert.pem. */
  isSecure: boolean;
}

/** Builds files by path below Haraka's directory; `connection.ini` is taken from the distribution. */
export function harakaFiles(setup: HarakaSetup): Record<string, string> {
  const { port, sinkPort, aliases, verifies, isSecure } = setup;
  return {
    "config/me": "mx.in.test\n",
    "config/smtp.ini": `listen=127.0.0.1:${port}\nnodes=0\n`,
    "config/log.ini": "level=warn\n",
    // With TLS it must be a name: Haraka puts it into the server name indication, where Node accepts no address.
    "config/smtp_forward.ini": `host=${isSecure ? "localhost" : "127.0.0.1"}\nport=${sinkPort}\nenable_outbound=true\nenable_tls=${isSecure}\n`,
    "config/outbound.ini": "enable_tls=false\nlocal_mx_ok=true\n",
    "config/plugins": `${isSecure ? "tls\n" : ""}forwarder\ndkim\nqueue/smtp_forward\n`,
    "config/dkim.ini": `[sign]\nenabled=true\nselector=s1\ndomain=in.test\n[canon]\nbody=relaxed\n[verify]\nenabled=${verifies}\n`,
    "config/forwarder.aliases.json": JSON.stringify(Object.fromEntries(aliases)),
    "plugins/forwarder.js": forwarder,
  };
}

/** Plugin for what Haraka lacks: aliases (a look-up in memory) and SRS (a hash). */
const forwarder = `'use strict';
const { createHmac } = require('node:crypto');
const { Address } = require('@haraka/email-address');
const aliases = new Map(Object.entries(require('../config/forwarder.aliases.json')));
exports.hook_rcpt = (next, connection, params) => {
  const to = aliases.get(params[0].address.toLowerCase());
  if (!to) return next(DENY, 'no such alias');
  const { transaction } = connection;
  transaction.rcpt_to.pop();
  transaction.rcpt_to.push(new Address('<' + to + '>'));
  connection.relaying = true;
  next(OK);
};
exports.hook_data = (next, { transaction }) => {
  const { host, user } = transaction.mail_from;
  const day = Math.floor(Date.now() / 864e5) % 1024;
  const hash = createHmac('sha1', 'secret').update(day + host + user).digest('base64').slice(0, 4);
  transaction.mail_from = new Address('<SRS0=' + [hash, day.toString(36), host, user].join('=') + '@in.test>');
  next();
};
`;
