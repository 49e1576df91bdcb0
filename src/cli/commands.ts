// Table of all commands, from which the help and the parser are derived; the module of a command is loaded when the
// command runs. This file is long because the table is one unit.

import { MESSAGE_STATUSES } from '../model/message.ts'
import { KEEP_DAYS, KEEP_MESSAGES } from '../model/test-inbox.ts'
import {
  argument,
  type Command,
  choice,
  command,
  count,
  expiry,
  flag,
  type Input,
  option,
  positional,
  rate,
  required,
  retentionDays,
  rotationDays,
  wait,
  words,
} from './command.ts'

const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const

const account = option('ACCOUNT', 'The ID or name of the account; may be left out while there is only one.')
const whichAccount = positional(account)
const erasedAccount = option(
  'ACCOUNT',
  'The account to which the command is limited, by ID or name; all accounts when left out.',
)
const domain = argument('DOMAIN', 'The name of the domain, such as example.com, or its ID.')
const whose = option('DOMAIN', 'The domain, by name or ID; may be left out while the account has only one.')
const dir = argument('DIR', 'The folder.')
const sendsFor = option('DOMAIN', 'The domain to send for, by name or ID.')
const expires = expiry('The expiry: a time such as 2027-01-31T00:00:00Z, or a duration such as 30d.')
const title = option('NAME', 'A name shown in lists.')
const ownRate = rate("A rate limit such as 50/s, instead of the installation's.")
const userEmail = argument('EMAIL', 'The address that the user logs in with.')
const newPassword = option(
  'PASSWORD',
  'At least 10 characters; - reads the first line of standard input, which keeps it out of the list of processes.',
)
const incident = argument('INCIDENT', 'The ID of the incident, inc_…')
const testInbox = argument('INBOX', 'The ID of the test inbox, inb_…')
const ofInbox = option('INBOX', 'The test inbox that gets all mail, by ID; makes a test credential.')
const oneOfThese = 'One of the three has to be given.'

/** Reasons of several commands for working only on the machine. */
const NO_LOGIN = { machine: 'a key takes over no login' }
const OF_OPERATOR = {
  machine: 'the mail is for the operator of the installation, and belongs to no account',
}
const KEY_FILE = { machine: 'the file with the key is on the machine' }

const ofDomain = option('DOMAIN', 'The domain, by name or ID; all domains when left out.')
const profileName = argument('NAME', 'The name of the profile.')
const TAIL_ENDS =
  'The command runs until it is interrupted, or as long as --for and --limit say. With --json each line is a JSON object.'
const followed = {
  domain: ofDomain,
  recipient: option('ADDRESS', 'This recipient only.'),
  stream: option('STREAM', 'This stream only.'),
  tag: option('TAG', 'This tag only.'),
  limit: count(1_000_000, 'N', 'Ends after this number of lines.'),
  for: wait('Ends after this time, such as 10m.'),
  account,
}

const selection = {
  message: positional(option('MESSAGE', 'The ID of a message.')),
  destination: option('DESTINATION', 'All recipients queued for this recipient domain.'),
  stream: option('STREAM', 'All recipients queued in this stream.'),
  domain: option('DOMAIN', 'All recipients queued from this sending domain.'),
  restored: option('TIME', 'All recipients that a restore holds, by its time.'),
  all: flag('All queued recipients.'),
}

const pausable = {
  destination: option('DESTINATION', 'The recipient domain.'),
  stream: option('STREAM', 'The stream.'),
  domain: option('DOMAIN', 'The sending domain.'),
}

const resumable = {
  ...pausable,
  restored: option('TIME', 'The recipients that a restore holds, by its time; they are sent then.'),
}

/** All commands, in the order in which the help lists the commands. */
export const COMMANDS: readonly Command[] = [
  command({
    name: 'serve',
    help: 'Runs a node until SIGTERM, SIGINT or SIGHUP stops it.',
    place: { machine: 'the command is the service' },
    inputs: {
      workers: option(
        'N',
        'The number of processes that share the ports, as POSTRIDER_WORKERS; auto is one for each core.',
      ),
    },
    run: async (context, given) => (await import('./serve.ts')).serve(context, given),
  }),
  command({
    name: 'account create',
    help: 'Creates an account, and the store if there is none yet.',
    inputs: { name: argument('NAME', 'The name of the account.') },
    run: async (context, given) => (await import('./account.ts')).create(context, given),
  }),
  command({
    name: 'account list',
    help: 'Lists the accounts.',
    inputs: {},
    run: async (context) => (await import('./account.ts')).list(context),
  }),
  command({
    name: 'account suspend',
    help: 'Suspends an account: no node sends or verifies for it once the command returns, and its queued messages are held.',
    more: [
      'Keys of the account still read and cancel messages, its users can still log in, and mail for its inbound streams is deferred.',
    ],
    inputs: { account: whichAccount },
    run: async (context, given) =>
      (await import('./account.ts')).setStatus(context, 'suspended', given.account),
  }),
  command({
    name: 'account resume',
    help: 'Resumes a suspended account.',
    inputs: { account: whichAccount },
    run: async (context, given) => (await import('./account.ts')).setStatus(context, 'active', given.account),
  }),
  command({
    name: 'user create',
    help: 'Creates a user who can log in to the dashboard.',
    more: ['A missing password is generated and shown only once.'],
    place: { machine: 'a key creates no password; `user invite` lets the person choose one from elsewhere' },
    inputs: {
      email: argument('EMAIL', 'The address to log in with.'),
      name: option('NAME', 'The name of the person.'),
      role: choice(ROLES, 'ROLE', `One of ${ROLES.join(', ')}; owner when left out.`),
      password: newPassword,
      account,
    },
    run: async (context, given) => (await import('./user.ts')).create(context, given),
  }),
  command({
    name: 'user invite',
    help: 'Invites a user, who gets a link by mail and chooses a password.',
    more: ['The link is printed as well if the installation has only one account, and on its machine.'],
    inputs: {
      email: argument('EMAIL', 'The address to log in with.'),
      role: choice(ROLES, 'ROLE', `One of ${ROLES.join(', ')}; developer when left out.`),
      account,
    },
    run: async (context, given) => (await import('./user.ts')).invite(context, given),
  }),
  command({
    name: 'user list',
    help: 'Lists the users of an account.',
    inputs: { account },
    run: async (context, given) => (await import('./user.ts')).list(context, given),
  }),
  command({
    name: 'user reset-password',
    help: 'Sets a new password for a user and ends all sessions of the user.',
    more: ['A missing password is generated and shown only once.'],
    place: NO_LOGIN,
    inputs: { email: userEmail, password: newPassword },
    run: async (context, given) => (await import('./user.ts')).resetPassword(context, given),
  }),
  command({
    name: 'user disable-totp',
    help: 'Removes the authenticator app and the recovery codes of a user who has lost them.',
    place: NO_LOGIN,
    inputs: { email: userEmail },
    run: async (context, given) => (await import('./user.ts')).disableTotp(context, given),
  }),
  command({
    name: 'user delete',
    help: 'Removes a user and ends all sessions of the user; the last owner of an account cannot be removed.',
    inputs: { email: userEmail, account },
    run: async (context, given) => (await import('./user.ts')).remove(context, given),
  }),
  command({
    name: 'domain add',
    help: 'Adds a sending domain and shows the DNS records to publish for it.',
    inputs: { domain: argument('DOMAIN', 'The name, such as example.com.'), account },
    run: async (context, given) => (await import('./domain.ts')).add(context, given),
  }),
  command({
    name: 'domain list',
    help: 'Lists the domains of an account.',
    inputs: { account },
    run: async (context, given) => (await import('./domain.ts')).list(context, given),
  }),
  command({
    name: 'domain verify',
    help: 'Looks up every DNS record of a domain and shows the values found and expected.',
    more: [
      'The status says whether the domain can send; without --wait the exit code is 0 either way.',
      'With --wait the lookup is repeated until the domain is verified and all of its required records are found; the exit code is 1 if the time ends first, or if the domain is paused.',
    ],
    inputs: {
      domain,
      wait: wait('The longest time to wait for the records, such as 10m.'),
      account,
    },
    run: async (context, given) => (await import('./domain.ts')).verify(context, given),
  }),
  command({
    name: 'domain records',
    help: 'Shows the DNS records of a domain with the results of the last check.',
    inputs: { domain, account },
    run: async (context, given) => (await import('./domain.ts')).records(context, given),
  }),
  command({
    name: 'domain zone',
    help: 'Prints the DNS records of a domain as text for a zone file.',
    more: [
      'The text leaves out a DMARC record that the last check found, so that an import does not replace your own policy.',
    ],
    inputs: { domain, account },
    run: async (context, given) => (await import('./domain.ts')).zone(context, given),
  }),
  command({
    name: 'domain pause',
    help: 'Pauses a domain: new messages are refused, queued ones are held.',
    inputs: { domain, account },
    run: async (context, given) => (await import('./domain.ts')).setPaused(context, given, 'pause'),
  }),
  command({
    name: 'domain resume',
    help: 'Resumes a paused domain, as far as its records allow.',
    inputs: { domain, account },
    run: async (context, given) => (await import('./domain.ts')).setPaused(context, given, 'resume'),
  }),
  command({
    name: 'domain dkim',
    help: 'Replaces the DKIM keys of a domain in three steps: rotate, switch, retire.',
    more: [
      'rotate creates new keys, whose records are published in addition to the present ones; switch signs with them once the RSA record is found; retire deletes the old keys, some days later, and their records can be removed. discard, instead of switch, deletes new keys that were never used.',
    ],
    inputs: {
      step: required(
        positional(
          choice(['rotate', 'switch', 'retire', 'discard'], 'STEP', 'rotate, switch, retire or discard.'),
        ),
      ),
      domain,
      account,
    },
    run: async (context, given) => (await import('./domain.ts')).dkim(context, given),
  }),
  command({
    name: 'domain rotation',
    help: 'Sets or shows the interval at which the DKIM keys of a domain are replaced by the calendar.',
    more: [
      'New keys are made when the interval is over, and the owners get a mail with their records. The new keys sign when their records have been found for a day; the old keys are retired eight days later. 180 days are advised.',
    ],
    inputs: {
      domain,
      every: rotationDays('The interval in days, or off for keys that are replaced only by hand.'),
      account,
    },
    run: async (context, given) => (await import('./domain.ts')).rotation(context, given),
  }),
  command({
    name: 'domain retention',
    help: 'Sets or shows the number of days that the messages of a domain are kept, if fewer than those of the installation.',
    more: [
      'inherit returns to the retention of the installation. Streams may keep messages for fewer days than their domain.',
    ],
    inputs: {
      domain,
      contents: retentionDays('The contents of messages.'),
      transcripts: retentionDays('The SMTP dialogs of attempts.'),
      records: retentionDays('Messages with their recipients, attempts and events.'),
      account,
    },
    run: async (context, given) => (await import('./domain-retention.ts')).retention(context, given),
  }),
  command({
    name: 'domain delete',
    help: 'Deletes a domain: its keys are revoked at once and its queued messages are cancelled.',
    more: [
      'Attempts in progress end normally. Bounces and unsubscribe links of its messages keep working; its messages are no longer shown. Suppressions are not restored when the domain is added again: export them first.',
    ],
    inputs: { domain, confirm: required(option('DOMAIN', 'The name of the domain once more.')), account },
    run: async (context, given) => (await import('./domain.ts')).remove(context, given),
  }),
  command({
    name: 'domain relay',
    help: 'Sets or shows the relay (smarthost) for the messages of a domain.',
    more: [
      'The relay overrides POSTRIDER_RELAY_URL and takes effect with the next attempt of each message.',
      'A password requires TLS with a verified certificate, unless the URL ends in ?verify=no or the relay is on this machine. The password is not shown again.',
    ],
    place: { machine: 'a relay and its password belong to the operator, and the API has none' },
    inputs: {
      domain,
      relay: positional(
        option(
          'RELAY',
          'Such as smtp://user:password@host:587, or smtps://…; - reads it from standard input.',
        ),
      ),
      none: flag('Removes the relay.'),
      account,
    },
    run: async (context, given) => (await import('./domain-relay.ts')).relay(context, given),
  }),
  command({
    name: 'key create',
    help: 'Creates an API key and shows it, only once.',
    more: [
      'A management key manages the account over HTTP, within its scopes and domains. Ready-made sets of scopes: send-only, app, ci, read-only, support, provisioning (domains, keys and users) and platform (all accounts).',
    ],
    inputs: {
      kind: required(
        choice(
          ['sending', 'verification', 'management'],
          'KIND',
          'sending, which needs --domain, verification, which has none, or management, which needs --scopes.',
        ),
      ),
      domain: sendsFor,
      domains: words('DOMAINS', 'The domains of a management key, separated by commas; all when left out.'),
      scopes: words(
        'SCOPES',
        'The scopes, separated by commas: scopes such as domains:read, domains:* or *:read, or the name of a ready-made set.',
      ),
      grants: words('SCOPES', 'The scopes that a management key may give to keys in addition to its own.'),
      networks: words('NETWORKS', 'The networks that may use the key, such as 192.0.2.0/24,2001:db8::/32.'),
      recipients: words(
        'RECIPIENTS',
        'The recipients that the key may send to: addresses, or *@example.com.',
      ),
      inbox: ofInbox,
      name: title,
      expires,
      rate: ownRate,
      account,
    },
    run: async (context, given) => (await import('./key.ts')).createApiKey(context, given),
  }),
  command({
    name: 'key list',
    help: 'Lists the API keys of an account with their last use, newest first.',
    inputs: { account },
    run: async (context, given) => (await import('./key.ts')).listApiKeys(context, given),
  }),
  command({
    name: 'key revoke',
    help: 'Revokes an API key: every node refuses it when the command returns.',
    inputs: { id: argument('ID', 'The ID of the key, key_…'), account },
    run: async (context, given) => (await import('./key.ts')).revokeApiKey(context, given),
  }),
  command({
    name: 'smtp-credential create',
    help: 'Creates a user name and password for SMTP submission and shows them, only once, with host and port.',
    inputs: { domain: required(sendsFor), inbox: ofInbox, name: title, expires, rate: ownRate, account },
    run: async (context, given) => (await import('./key.ts')).createSmtpCredential(context, given),
  }),
  command({
    name: 'smtp-credential list',
    help: 'Lists the SMTP credentials of an account with their last use, newest first.',
    inputs: { account },
    run: async (context, given) => (await import('./key.ts')).listSmtpCredentials(context, given),
  }),
  command({
    name: 'smtp-credential revoke',
    help: 'Revokes an SMTP credential: every node refuses it when the command returns.',
    inputs: { username: argument('USERNAME', 'The user name of the credential, smtp_…'), account },
    run: async (context, { username: id, account }) =>
      (await import('./key.ts')).revokeSmtpCredential(context, { id, account }),
  }),
  command({
    name: 'credits grant',
    help: 'Adds verification credits to an account.',
    inputs: {
      credits: required(positional(count(1_000_000_000, 'CREDITS', 'The number of credits.'))),
      note: option('TEXT', 'A note for the history, for example an invoice number.'),
      account,
    },
    run: async (context, given) => (await import('./credits.ts')).grant(context, given),
  }),
  command({
    name: 'credits history',
    help: 'Shows the credits granted to an account and the credits used on each day.',
    inputs: {
      limit: count(10_000, 'N', 'Maximum number of lines; 90 when left out.'),
      account: whichAccount,
    },
    run: async (context, given) => (await import('./credits.ts')).history(context, given),
  }),
  command({
    name: 'verify',
    help: 'Verifies an address, or the addresses of a CSV on standard input.',
    more: [
      'On the machine of the service the command takes no credits, elsewhere a credit for each address. The delivery history of the account counts.',
      'On the machine the command has its own limits of probes in addition to those of the service: a mail host may get twice as many while both verify.',
      'A CSV has a column named email or similar; the results are printed as CSV, the progress on standard error.',
    ],
    inputs: {
      address: positional(option('ADDRESS', 'The address; - or none reads a CSV from standard input.')),
      detailed: flag('Prints every detail of the result.'),
      account,
    },
    run: async (context, given) => (await import('./verify.ts')).verify(context, given),
  }),
  command({
    name: 'queue list',
    help: 'Lists queued recipients by destination, the longest queue first, and the pauses.',
    inputs: { limit: count(10_000, 'N', 'Maximum number of destinations; 200 when left out.') },
    run: async (context, given) => (await import('./queue.ts')).list(context, given),
  }),
  command({
    name: 'queue show',
    help: 'Shows a message with its recipients and every attempt with its SMTP dialog.',
    inputs: { message: argument('MESSAGE', 'The ID of the message, msg_…') },
    run: async (context, given) => (await import('./queue.ts')).show(context, given),
  }),
  command({
    name: 'queue retry',
    help: 'Makes queued recipients due at once.',
    more: ['Selections are combined with AND; active recipients are not affected.'],
    inputs: selection,
    run: async (context, given) => (await import('./queue.ts')).act(context, 'retry', given),
  }),
  command({
    name: 'queue cancel',
    help: 'Cancels queued recipients.',
    more: ['Selections are combined with AND; active recipients are not affected.'],
    inputs: selection,
    run: async (context, given) => (await import('./queue.ts')).act(context, 'cancel', given),
  }),
  command({
    name: 'queue pause',
    help: 'Pauses a destination, a stream or a domain; its messages are accepted and held.',
    more: [oneOfThese],
    inputs: {
      ...pausable,
      note: option('TEXT', 'The reason; operators see it with the pause, customers do not.'),
    },
    run: async (context, given) => (await import('./queue.ts')).pause(context, given),
  }),
  command({
    name: 'queue resume',
    help: 'Resumes a paused destination, stream or domain, or the recipients that a restore holds.',
    more: ['One of the four has to be given.'],
    inputs: resumable,
    run: async (context, given) => (await import('./queue.ts')).resume(context, given),
  }),
  command({
    name: 'check',
    help: 'Checks a message in a file without sending it; the exit code is 1 if there are errors.',
    more: [
      'FILE is a complete message (.eml), the JSON of a send request (.json), plain text (.txt), or otherwise HTML; - reads standard input.',
      'The page docs/check.md has all codes. Links that may work only once are never requested.',
    ],
    inputs: {
      file: argument('FILE', 'The file.'),
      text: option('FILE', 'The text part, for a file with HTML.'),
      subject: option('SUBJECT', 'The subject, for a file with HTML or text.'),
      from: option('ADDRESS', 'The sender, for a file with HTML or text.'),
      to: option('ADDRESSES', 'The recipients, separated by commas, for a file with HTML or text.'),
      stream: option('STREAM', 'The stream, whose rules apply.'),
      clients: option('NAMES', 'Mail programs such as outlook.windows,gmail.ios instead of the usual ones.'),
      links: flag('Asks the hosts of the links whether the pages exist.'),
      spam: flag('Asks the spam filter of the installation.'),
      template: flag('The file is the source of a template; expressions stand for any text.'),
      domain: whose,
      account,
    },
    run: async (context, given) => (await import('./check.ts')).check(context, given),
  }),
  command({
    name: 'template push',
    help: 'Saves the templates and layouts of a folder in a domain.',
    more: [
      'The folder holds templates/ and layouts/, and in them ALIAS.json (name, subject, layout, required, inline_css), ALIAS.html and ALIAS.txt. All files are checked before the first is saved. Unchanged templates get no new version, and templates that the folder lacks stay.',
    ],
    inputs: { dir, domain: whose, 'dry-run': flag('Shows the changes without saving them.'), account },
    run: async (context, given) => (await import('./template.ts')).push(context, given),
  }),
  command({
    name: 'template pull',
    help: 'Writes the templates and layouts of a domain into a folder.',
    more: [
      'The folder gets the templates and layouts that have an alias. Unchanged files are not rewritten.',
    ],
    inputs: { dir, domain: whose, account },
    run: async (context, given) => (await import('./template.ts')).pull(context, given),
  }),
  command({
    name: 'suppression import',
    help: 'Suppresses the addresses of a CSV on standard input.',
    more: [
      'The first line names the columns: email and optionally stream (* for the whole domain) and reason (hard_bounce, complaint, unsubscribe or manual). A CSV has at most 100,000 addresses.',
    ],
    inputs: {
      domain: whose,
      stream: option('STREAM', 'The stream of rows without one; transactional when left out.'),
      account,
    },
    run: async (context, given) => (await import('./suppression.ts')).importList(context, given),
  }),
  command({
    name: 'suppression export',
    help: 'Prints the suppressed addresses of a domain as a CSV that can be imported again.',
    inputs: { domain: whose, stream: option('STREAM', 'Limits the list to this stream.'), account },
    run: async (context, given) => (await import('./suppression.ts')).exportList(context, given),
  }),
  command({
    name: 'erase',
    help: 'Erases all data about an address, and prints a receipt.',
    more: [
      'The address matches in any case, a tag as it is written. The command is refused while a message to the address waits. Suppressions stay as a hash. Texts that only quote the address are not searched: the receipt says where they may stand, and until when. An erasure cannot be undone; export the address first.',
    ],
    inputs: {
      address: argument('ADDRESS', 'The address.'),
      domain: option(
        'DOMAIN',
        'Erases the address from this domain only; all domains when left out. An installation elsewhere needs it.',
      ),
      account: erasedAccount,
    },
    run: async (context, given) => (await import('./person.ts')).erase(context, given),
  }),
  command({
    name: 'export',
    help: 'Prints everything that is stored under an address, a JSON object on each line.',
    more: ['Standard output stays empty if nothing is stored, and standard error says so.'],
    place: {
      machine:
        'the command prints every row of the store under the address, among them rows that no key can read',
    },
    inputs: { address: argument('ADDRESS', 'The address.'), account: erasedAccount },
    run: async (context, given) => (await import('./person.ts')).exportRows(context, given),
  }),
  command({
    name: 'message list',
    help: 'Lists messages, newest first.',
    more: ['Conditions are combined with AND.'],
    inputs: {
      domain: ofDomain,
      recipient: option('ADDRESS', 'Messages to this address, or to addresses that begin like this.'),
      status: choice(MESSAGE_STATUSES, 'STATUS', `One of ${MESSAGE_STATUSES.join(', ')}.`),
      subject: option('WORDS', 'Words of the subject, or their beginnings.'),
      stream: option('STREAM', 'Messages of this stream.'),
      tag: option('TAG', 'Messages with this tag.'),
      limit: count(10_000, 'N', 'Maximum number of messages; 50 when left out.'),
      account,
    },
    run: async (context, given) => (await import('./message.ts')).list(context, given),
  }),
  command({
    name: 'message show',
    help: 'Shows a message with its recipients and its events.',
    inputs: { message: argument('MESSAGE', 'The ID of the message, msg_…'), account },
    run: async (context, given) => (await import('./message.ts')).show(context, given),
  }),
  command({
    name: 'message tail',
    help: 'Follows new messages: prints a line for each recipient when a message is accepted.',
    more: [TAIL_ENDS],
    inputs: followed,
    run: async (context, given) =>
      (await import('./tail.ts')).tail(context, { ...given, type: 'accepted', message: undefined }),
  }),
  command({
    name: 'deliverability',
    help: 'Shows the deliverability of mail by provider in the last seven days, and the open incidents.',
    inputs: { domain: ofDomain, stream: option('STREAM', 'This stream only.'), account },
    run: async (context, given) => (await import('./deliverability.ts')).show(context, given),
  }),
  command({
    name: 'incident show',
    help: 'Shows an incident with its evidence, its meaning and what to do.',
    inputs: { incident, account },
    run: async (context, given) => (await import('./deliverability.ts')).incident(context, given),
  }),
  command({
    name: 'incident mute',
    help: 'Mutes an incident: no mail about it, and no line on the home page.',
    inputs: {
      incident,
      until: required(expiry('The end: a time such as 2027-01-31T00:00:00Z, or a duration such as 3d.')),
      account,
    },
    run: async (context, given) => (await import('./deliverability.ts')).mute(context, given),
  }),
  command({
    name: 'message explain',
    help: 'Explains why mail to an address did not arrive.',
    inputs: {
      address: argument('ADDRESS', 'The address of the recipient.'),
      message: option('MESSAGE', 'The ID of the message in question.'),
      subject: option('WORDS', 'Words of the subject, or their beginnings.'),
      domain: ofDomain,
      account,
    },
    run: async (context, given) => (await import('./message.ts')).explain(context, given),
  }),
  command({
    name: 'events tail',
    help: 'Follows the events of messages: deliveries, bounces, opens and all others.',
    more: [TAIL_ENDS],
    inputs: {
      type: option('TYPES', 'Events of these types only, separated by commas, such as bounced,complained.'),
      message: option('MESSAGE', 'Events of this message only.'),
      ...followed,
    },
    run: async (context, given) => (await import('./tail.ts')).tail(context, given),
  }),
  command({
    name: 'whoami',
    help: 'Shows the key that commands use, with its scopes, or that commands use the store of this machine.',
    inputs: { account },
    run: async (context, given) => (await import('./whoami.ts')).whoami(context, given),
  }),
  command({
    name: 'profile add',
    help: 'Stores the URL and the key of an installation under a name; the first profile is in use at once.',
    more: [
      'The profiles are in ~/.config/postrider/profiles.json, which only the user may read. Without --url and --key they come from POSTRIDER_URL and POSTRIDER_KEY.',
    ],
    place: 'profiles',
    inputs: { name: profileName },
    run: async (context, given, remote) => (await import('./profile.ts')).add(context, given, remote),
  }),
  command({
    name: 'profile list',
    help: 'Lists the profiles, with the ends of their keys.',
    place: 'profiles',
    inputs: {},
    run: async (context) => (await import('./profile.ts')).list(context),
  }),
  command({
    name: 'profile use',
    help: 'Selects the profile that commands use; without a name, commands use the store of this machine.',
    place: 'profiles',
    inputs: { name: positional(option('NAME', 'The name of the profile.')) },
    run: async (context, given) => (await import('./profile.ts')).use(context, given),
  }),
  command({
    name: 'profile remove',
    help: 'Removes a profile; its key stays valid.',
    place: 'profiles',
    inputs: { name: profileName },
    run: async (context, given) => (await import('./profile.ts')).remove(context, given),
  }),
  command({
    name: 'inbox list',
    help: 'Lists messages to abuse@ and postmaster@, and bounces that could not be parsed, newest first.',
    place: OF_OPERATOR,
    inputs: { limit: count(1_000, 'N', 'Maximum number of messages; 100 when left out.') },
    run: async (context, given) => (await import('./inbox.ts')).list(context, given),
  }),
  command({
    name: 'inbox show',
    help: 'Shows one of these messages as received, up to its first 64 KiB.',
    place: OF_OPERATOR,
    inputs: { mail: argument('MAIL', 'The ID of the message, inb_…') },
    run: async (context, given) => (await import('./inbox.ts')).show(context, given),
  }),
  command({
    name: 'test-inbox create',
    help: 'Creates a test inbox, which gets the mail of test credentials, and shows its password, only once.',
    inputs: {
      name: argument('NAME', 'A name shown in lists.'),
      keepDays: count(
        KEEP_DAYS.most,
        'DAYS',
        `Number of days for which mails are kept; ${KEEP_DAYS.usual} when left out.`,
      ),
      keepMessages: count(
        KEEP_MESSAGES.most,
        'N',
        `Number of mails that are kept; ${KEEP_MESSAGES.usual} when left out.`,
      ),
      account,
    },
    run: async (context, given) => (await import('./test-inbox.ts')).create(context, given),
  }),
  command({
    name: 'test-inbox list',
    help: 'Lists the test inboxes of an account, newest first.',
    inputs: { account },
    run: async (context, given) => (await import('./test-inbox.ts')).list(context, given),
  }),
  command({
    name: 'test-inbox mails',
    help: 'Lists the mail of a test inbox, newest first.',
    inputs: {
      inbox: testInbox,
      limit: count(1_000, 'N', 'Maximum number of mails; 100 when left out.'),
      account,
    },
    run: async (context, given) => (await import('./test-inbox.ts')).mails(context, given),
  }),
  command({
    name: 'test-inbox show',
    help: 'Shows the source of a mail of a test inbox.',
    inputs: { inbox: testInbox, mail: argument('MAIL', 'The ID of the mail, mbx_…'), account },
    run: async (context, given) => (await import('./test-inbox.ts')).show(context, given),
  }),
  command({
    name: 'test-inbox delete',
    help: 'Deletes a test inbox with its mail, and revokes its credentials.',
    inputs: { inbox: testInbox, account },
    run: async (context, given) => (await import('./test-inbox.ts')).remove(context, given),
  }),
  command({
    name: 'migrate',
    help: 'Migrates the store to this version, or creates it, as the start of the service does; no other command changes its tables.',
    place: { machine: 'the command changes the tables of the store before the service starts' },
    inputs: {},
    run: async (context) => (await import('./migrate.ts')).migrate(context),
  }),
  command({
    name: 'upgrade',
    help: 'Reports the changes that a start of this version would make in the store, and obstacles to them.',
    more: [
      'The exit code is 1 if there is an obstacle.',
      'To upgrade: make a backup, replace the program, restart the service.',
    ],
    place: { machine: 'the command compares the store with the program on the machine' },
    inputs: {
      check: required(flag('Changes nothing; the start of the new version upgrades the store.')),
    },
    run: async (context) => (await import('./upgrade.ts')).upgrade(context),
  }),
  command({
    name: 'doctor',
    help: 'Checks the installation and prints a remedy for each failed check.',
    more: ['The exit code is 1 when a check fails.'],
    place: { machine: 'the command checks the ports, addresses and names of the machine' },
    inputs: {
      'port25-host': option(
        'HOST',
        'The mail host, or the domain with mail hosts, to test outgoing port 25 with; gmail-smtp-in.l.google.com when left out.',
      ),
    },
    run: async (context, given) => (await import('./doctor.ts')).doctor(context, given),
  }),
  command({
    name: 'seal store',
    help: 'Seals the secrets of an existing store with the key of POSTRIDER_SEALING_KEY_FILE, while the service is stopped.',
    more: ['A new store is sealed from its first start. Run an interrupted command again.'],
    place: { machine: 'the service is stopped meanwhile' },
    inputs: {},
    run: async (context) => (await import('./seal.ts')).store(context),
  }),
  command({
    name: 'seal status',
    help: 'Shows whether the store is sealed, and the fingerprint of its key.',
    place: KEY_FILE,
    inputs: {},
    run: async (context) => (await import('./seal.ts')).status(context),
  }),
  command({
    name: 'seal make-key',
    help: 'Creates a file with a new sealing key.',
    place: KEY_FILE,
    inputs: { file: argument('FILE', 'The file, which must not exist yet.') },
    run: async (context, given) => (await import('./seal.ts')).makeKey(context, given),
  }),
  command({
    name: 'seal change-key',
    help: 'Seals a sealed store with the key of another file, while the service runs.',
    place: KEY_FILE,
    inputs: { file: argument('FILE', 'The file with the new key.') },
    run: async (context, given) => (await import('./seal.ts')).changeKey(context, given),
  }),
  command({
    name: 'restore',
    help: 'Makes a store of a backup, and holds messages that may have been delivered since.',
    more: [
      'SQLite: FILE is copied into the data directory, which must be empty. PostgreSQL, and a file put in place by hand: without FILE, before the first start on the restored database.',
      'Messages that waited in the backup are held, unless --previous shows their outcome: `postrider queue resume --restored TIME` sends them, `postrider queue cancel --restored TIME` cancels them.',
    ],
    place: { machine: 'the backup is a file on the machine, and the service is stopped' },
    inputs: {
      file: positional(option('FILE', 'The backup.')),
      previous: option(
        'DIR',
        'The previous data directory: its database and its journal tell which messages were delivered after the backup.',
      ),
      'hold-queue': flag('Holds every waiting message, also those known not to be delivered.'),
      resend: flag('Holds nothing: messages that were delivered after the backup may be delivered twice.'),
    },
    run: async (context, given) => (await import('./restore.ts')).restore(context, given),
  }),
  command({
    name: 'backup',
    help: 'Copies the embedded database to a file while the service runs, and checks the copy.',
    more: [
      'The new copy replaces an earlier one of that name once it is complete. The command copies the database only, without the certificate and playground.json.',
    ],
    place: { machine: 'the copy is a file on the machine' },
    inputs: { file: argument('FILE', 'The file of the copy.') },
    run: async (context, given) => (await import('./backup.ts')).backup(context, given),
  }),
]

/** Returns the usage of an input: `DOMAIN`, `--kind KIND`, `[--json]`. */
export function usageOf(name: string, input: Input<unknown>): string {
  const word = input.positional
    ? input.value
    : `--${name}${input.value === undefined ? '' : ` ${input.value}`}`
  return input.required ? `${word}` : `[${word}]`
}
