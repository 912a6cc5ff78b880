/** Configuration of Haraka for the comparison: it relays within the sender's transaction and stores nothing. */

export interface HarakaSetup {
  port: number;
  sinkPort: number;
  rcptTo: string;
  destination: string;
}

/** Builds files by path below Haraka's directory; `connection.ini` is taken from the distribution. */
export function harakaFiles(setup: HarakaSetup): Record<string, string> {
  return {
    "config/me": "mx.in.test\n",
    "config/smtp.ini": `listen=127.0.0.1:${setup.port}\nnodes=0\n`,
    "config/log.ini": "level=warn\n",
    "config/smtp_forward.ini": `host=127.0.0.1\nport=${setup.sinkPort}\nenable_outbound=true\n`,
    "config/outbound.ini": "enable_tls=false\nlocal_mx_ok=true\n",
    "config/plugins": "forwarder\ndkim\nqueue/smtp_forward\n",
    "config/dkim.ini":
      "[sign]\nenabled=true\nselector=s1\ndomain=in.test\n[canon]\nbody=relaxed\n[verify]\nenabled=false\n",
    "plugins/forwarder.js": forwarder(setup),
  };
}

/** Plugin for what Haraka lacks: aliases (a look-up) and SRS (a hash). */
function forwarder({ rcptTo, destination }: HarakaSetup): string {
  return `'use strict';
const { createHmac } = require('node:crypto');
const { Address } = require('@haraka/email-address');
const aliases = new Map([['${rcptTo}', '${destination}']]);
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
}
