// Every setting in one table, with name, type, default and a one-sentence description. The file is long because all
// settings are in one table.

import { hostname } from 'node:os'
import { relayUrl, sourceAssignment, sourcePool } from '../lib/route-settings.ts'
import {
  addressOrDomain,
  autoOr,
  blockList,
  compatibleHost,
  compatibleService,
  connectTemplate,
  duration,
  emailAddress,
  hostAndPort,
  hostName,
  integer,
  type Kind,
  linkBase,
  list,
  listenHost,
  named,
  network,
  offOr,
  oneOf,
  port,
  postgresUrl,
  rate,
  retention,
  secret,
  secretLabel,
  text,
  url,
} from '../lib/setting-kinds.ts'

/** Roles of a node, chosen by `POSTRIDER_ROLES`. */
const ROLES = ['api', 'smtp', 'inbound', 'delivery', 'webhooks', 'dashboard'] as const

/** Settings from which defaults of other settings are derived; the table lists these settings first. */
export interface SettingsBefore {
  readonly mode: 'playground' | 'production'
  readonly hostname: string
  readonly smtpHost: string
  readonly acmeEmail: string | undefined
  readonly httpsPort: number | undefined
}

export interface Setting<T> {
  readonly name: string
  readonly kind: Kind<T>
  /** Returns the value of an absent or empty setting; `undefined` means "off" or "none". */
  readonly fallback: (before: SettingsBefore) => T
  /** Default value in words, for the documentation. */
  readonly shown: string
  readonly sentence: string
}

const role = oneOf(...ROLES)

type Fallback<T> = Setting<T>['fallback']

/** Returns a setting with a default, which is a text or a function of earlier settings. */
function setting<T>(
  name: string,
  kind: Kind<T>,
  fallback: string | { readonly shown: string; readonly of: Fallback<T> },
  sentence: string,
): Setting<T> {
  const known = typeof fallback === 'string'
  const of = known ? () => kind.read(fallback) : fallback.of
  return { name, kind, fallback: of, shown: known ? `\`${fallback}\`` : fallback.shown, sentence }
}

/** Returns a setting that may be absent. */
function optional<T>(
  name: string,
  kind: Kind<T>,
  shown: string,
  sentence: string,
  of: Fallback<T | undefined> = () => undefined,
): Setting<T | undefined> {
  return { name, kind, fallback: of, shown, sentence }
}

const machineName = (): string => {
  const name = hostname().toLowerCase()
  try {
    return hostName.read(name)
  } catch {
    return 'localhost'
  }
}

/** Block lists whose entries large or many small receivers refuse, and that may be queried free of charge. */
const USUAL_BLOCK_LISTS =
  'ip:zen.spamhaus.org,ip:b.barracudacentral.org,ip:bl.spamcop.net,ip:psbl.surriel.com,domain:dbl.spamhaus.org'

/** Table of all settings; a key is the name in the code, and `name` is the environment variable. */
export const SETTINGS = {
  mode: setting(
    'POSTRIDER_MODE',
    oneOf('playground', 'production'),
    'playground',
    'The playground sets up an account, a verified domain and a catch-all mail server; production creates nothing by itself.',
  ),
  playgroundOnNetwork: setting(
    'POSTRIDER_PLAYGROUND_ON_NETWORK',
    oneOf('no', 'yes'),
    'no',
    'Allows the playground to listen on addresses that other machines reach; its mailbox needs no login, and its readers can take over every user.',
  ),
  dataDir: setting(
    'POSTRIDER_DATA_DIR',
    text,
    'data',
    'The directory of the embedded store, the certificate and playground.json; created when missing.',
  ),
  databaseUrl: optional(
    'POSTRIDER_DATABASE_URL',
    postgresUrl,
    'empty: SQLite in the data directory',
    'The PostgreSQL database that any number of nodes share; with several hosts, `postgres://user:password@one:5432,two:5432/name`, the node uses the host that accepts writes.',
  ),
  sealingKeyFile: optional(
    'POSTRIDER_SEALING_KEY_FILE',
    text,
    'empty: secrets are stored unencrypted',
    'The file with the key that encrypts the secrets in the database: DKIM private keys, relay passwords, TLS keys, secrets of authenticator apps, the installation secret.',
  ),
  allowUnsafeDatabase: setting(
    'POSTRIDER_ALLOW_UNSAFE_DATABASE',
    oneOf('no', 'yes'),
    'no',
    'Allows production on a PostgreSQL with fsync off, which loses accepted mail at a power cut.',
  ),
  databaseTimeoutMs: setting(
    'POSTRIDER_DATABASE_TIMEOUT_MS',
    integer(500, 300_000),
    '10000',
    'The timeout of a query to PostgreSQL, in milliseconds.',
  ),
  workers: setting(
    'POSTRIDER_WORKERS',
    autoOr(1, 64),
    '1',
    'The number of processes of this node, which share its ports (only with PostgreSQL, on Linux or FreeBSD); `auto` is one for each core. `serve --workers` sets the same.',
  ),
  stopDelayMs: setting(
    'POSTRIDER_STOP_DELAY_MS',
    integer(0, 10_000),
    '0',
    'The time, in milliseconds, for which a stopping node still works but is not ready, so that load balancers send it no more clients.',
  ),
  roles: setting(
    'POSTRIDER_ROLES',
    list(role, `list of ${ROLES.map((one) => `\`${one}\``).join(', ')}`),
    ROLES.join(','),
    'The roles of this node.',
  ),
  hostname: setting(
    'POSTRIDER_HOSTNAME',
    hostName,
    { shown: "the machine's", of: machineName },
    'The name with which this installation greets other mail servers (HELO); the name needs a matching PTR record.',
  ),
  httpHost: setting(
    'POSTRIDER_HTTP_HOST',
    listenHost,
    '127.0.0.1',
    'The address that the HTTP API listens on.',
  ),
  httpPort: setting(
    'POSTRIDER_HTTP_PORT',
    port,
    '8025',
    'The port that the HTTP API listens on; 0 takes any free one.',
  ),
  adminHost: setting(
    'POSTRIDER_ADMIN_HOST',
    listenHost,
    '127.0.0.1',
    'The address of the admin listener: the metrics, the operator API and the health endpoints.',
  ),
  adminPort: optional(
    'POSTRIDER_ADMIN_PORT',
    port,
    '`8026` in production, else off',
    'The port of the admin listener; 0 takes any free one. The HTTP port serves the metrics and the operator API while the listener is off.',
    ({ mode }) => (mode === 'production' ? 8026 : undefined),
  ),
  acmeEmail: optional(
    'POSTRIDER_ACME_EMAIL',
    emailAddress,
    'empty: off',
    'Turns on certificates by ACME for HTTPS and SMTP, for POSTRIDER_HOSTNAME and the host of POSTRIDER_PUBLIC_URL; the authority writes to this address. Setting it accepts the terms of the authority.',
  ),
  acmeDirectory: setting(
    'POSTRIDER_ACME_DIRECTORY',
    url('https'),
    'https://acme-v02.api.letsencrypt.org/directory',
    'The directory of the ACME authority.',
  ),
  httpsPort: optional(
    'POSTRIDER_HTTPS_PORT',
    port,
    '`443` with POSTRIDER_ACME_EMAIL, else off',
    'The port of HTTPS, on the address of POSTRIDER_HTTP_HOST, with the certificate of the SMTP ports; 0 takes any free one.',
    ({ acmeEmail }) => (acmeEmail === undefined ? undefined : 443),
  ),
  publicUrl: optional(
    'POSTRIDER_PUBLIC_URL',
    linkBase('http', 'https'),
    'with POSTRIDER_ACME_EMAIL `https://<hostname>`, else from host and port',
    'The address at which users reach the HTTP API, used in links.',
    ({ acmeEmail, hostname, httpsPort }) =>
      acmeEmail === undefined || !httpsPort
        ? undefined
        : `https://${hostname}${httpsPort === 443 ? '' : `:${httpsPort}`}`,
  ),
  compatHosts: setting(
    'POSTRIDER_COMPAT_HOSTS',
    list(compatibleHost, 'list of service=host'),
    { shown: 'empty: none', of: () => [] },
    'The host names at whose root the endpoints of another service are served, such as `postmark=pm.example.com`, for clients that keep no path ([compatible endpoints](compatibility.md)); POSTRIDER_ACME_EMAIL orders certificates for them.',
  ),
  compatAtRoot: setting(
    'POSTRIDER_COMPAT_AT_ROOT',
    oneOf('yes', 'no'),
    'yes',
    'Serves the versioned paths of other services, such as `/v3/mail/send`, at the root of every host as well.',
  ),
  compatLenient: setting(
    'POSTRIDER_COMPAT_LENIENT',
    list(compatibleService, 'list of services'),
    { shown: 'empty: none', of: () => [] },
    'The services whose compatible endpoints ignore wishes that cannot be fulfilled, instead of refusing the request; for the time of moving.',
  ),
  domainConnect: optional(
    'POSTRIDER_DOMAIN_CONNECT',
    connectTemplate,
    'off',
    'The template of [Domain Connect](domains.md#domain-connect) by which DNS providers know this installation, as `provider/service`.',
  ),
  trustedProxies: setting(
    'POSTRIDER_TRUSTED_PROXIES',
    list(network, 'list of CIDR'),
    { shown: 'empty: the address that connects is the client', of: () => [] },
    'The networks of reverse proxies, such as 127.0.0.0/8, whose X-Forwarded-For is believed.',
  ),
  scannerNetworks: setting(
    'POSTRIDER_SCANNER_NETWORKS',
    list(network, 'list of CIDR'),
    { shown: 'empty: the known ones only', of: () => [] },
    'Further networks of mail filters; opens and clicks from them are marked as made by a machine.',
  ),
  proxyProtocol: setting(
    'POSTRIDER_PROXY_PROTOCOL',
    list(network, 'list of CIDR'),
    { shown: 'empty: none', of: () => [] },
    'The networks of load balancers that speak the PROXY protocol, version 1 or 2. Every connection from them to an HTTP or SMTP port has to begin with a header, which names the client; headers from other addresses are not interpreted.',
  ),
  smtpHost: setting(
    'POSTRIDER_SMTP_HOST',
    listenHost,
    '127.0.0.1',
    'The address that SMTP submission listens on, with STARTTLS and with implicit TLS.',
  ),
  smtpPort: setting(
    'POSTRIDER_SMTP_PORT',
    port,
    { shown: '`587`, in the playground `2587`', of: ({ mode }) => (mode === 'production' ? 587 : 2587) },
    'The port of SMTP submission with STARTTLS; 0 takes any free one.',
  ),
  smtpsPort: optional(
    'POSTRIDER_SMTPS_PORT',
    port,
    'off',
    'The port of SMTP submission with implicit TLS, usually 465; 0 takes any free one.',
  ),
  smtpTlsCert: optional(
    'POSTRIDER_SMTP_TLS_CERT',
    text,
    'self-signed',
    'The PEM file of the certificate chain for the SMTP ports and HTTPS; reloaded when it changes.',
  ),
  smtpTlsKey: optional(
    'POSTRIDER_SMTP_TLS_KEY',
    text,
    'self-signed',
    'The PEM file of the private key that belongs to the certificate.',
  ),
  inboundHost: setting(
    'POSTRIDER_INBOUND_HOST',
    listenHost,
    { shown: 'that of `POSTRIDER_SMTP_HOST`', of: ({ smtpHost }) => smtpHost },
    'The address that the inbound port listens on.',
  ),
  inboundPort: optional(
    'POSTRIDER_INBOUND_PORT',
    port,
    '`25` in production, else off',
    'The port on which bounces, complaints and mail for inbound streams arrive; 0 takes any free one.',
    ({ mode }) => (mode === 'production' ? 25 : undefined),
  ),
  smtpConnections: setting(
    'POSTRIDER_SMTP_CONNECTIONS',
    integer(1, 100_000),
    '1000',
    'The maximum number of connections of SMTP submission, on both of its ports together.',
  ),
  smtpNetworkConnections: setting(
    'POSTRIDER_SMTP_NETWORK_CONNECTIONS',
    integer(1, 100_000),
    '50',
    'The maximum number of these connections of one client network (an IPv4 address or an IPv6 /64; an IPv6 /48 gets four times as many). All clients behind a load balancer without the PROXY protocol are one network.',
  ),
  smtpCommandTimeoutMs: setting(
    'POSTRIDER_SMTP_COMMAND_TIMEOUT',
    duration,
    '5m',
    'The maximum wait for the next command of an SMTP client; RFC 5321 requires five minutes.',
  ),
  smtpLoginTimeoutMs: setting(
    'POSTRIDER_SMTP_LOGIN_TIMEOUT',
    duration,
    '1m',
    'The time that an SMTP client has to log in (at the inbound port: to name a recipient) while more than half of the connections are taken; two thirds of this time from three quarters on, one third from nine tenths on. Each command gets half of it.',
  ),
  smtpMalformedLines: setting(
    'POSTRIDER_SMTP_MALFORMED_LINES',
    integer(1, 1_000),
    '10',
    'The number of lines without a valid command after which an SMTP connection is closed.',
  ),
  smtpJunkCommands: setting(
    'POSTRIDER_SMTP_JUNK_COMMANDS',
    integer(1, 10_000),
    '100',
    'The number of commands without progress (NOOP, RSET, refused commands) after which an SMTP connection is closed.',
  ),
  smtpJunkCommandsBeforeLogin: setting(
    'POSTRIDER_SMTP_JUNK_COMMANDS_BEFORE_LOGIN',
    integer(1, 10_000),
    '20',
    'The same number for clients that have not logged in, and at the inbound port.',
  ),
  inboundConnections: setting(
    'POSTRIDER_INBOUND_CONNECTIONS',
    integer(1, 100_000),
    '500',
    'The maximum number of connections of the inbound port.',
  ),
  inboundNetworkConnections: setting(
    'POSTRIDER_INBOUND_NETWORK_CONNECTIONS',
    integer(1, 100_000),
    '20',
    'The maximum number of these connections of one client network; an IPv6 /48 gets four times as many.',
  ),
  inboundNetworkRate: setting(
    'POSTRIDER_INBOUND_NETWORK_RATE',
    rate,
    '600/m',
    'The rate limit for mails of one client network at the inbound port.',
  ),
  inboundUnknownRate: setting(
    'POSTRIDER_INBOUND_UNKNOWN_RATE',
    rate,
    '60/m',
    'The rate limit for unknown recipients of one client network at the inbound port.',
  ),
  inboundMaxMessageBytes: setting(
    'POSTRIDER_INBOUND_MAX_MESSAGE_BYTES',
    integer(1_024, 104_857_600),
    '26214400',
    'The maximum size of a mail for an inbound stream, in bytes; a larger mail is refused with 552.',
  ),
  inboundAccountRate: setting(
    'POSTRIDER_INBOUND_ACCOUNT_RATE',
    rate,
    '3000/m',
    'The rate limit of a node for mails to the inbound streams of one account; further mails are refused temporarily, with 451.',
  ),
  inboundAccountBytes: setting(
    'POSTRIDER_INBOUND_ACCOUNT_BYTES',
    integer(0, 999_999_999_999_999),
    '10737418240',
    'The maximum number of bytes of inbound messages that an account stores; further mail is refused temporarily, with 452.',
  ),
  returnPathHost: setting(
    'POSTRIDER_RETURN_PATH_HOST',
    hostName,
    { shown: '`rp.<hostname>`', of: ({ hostname }) => `rp.${hostname}` },
    "The return-path host: the target of the domains' Return-Path CNAMEs, with the MX and SPF records for all of them.",
  ),
  feedbackLoops: setting(
    'POSTRIDER_FEEDBACK_LOOPS',
    list(addressOrDomain, `list of ${addressOrDomain.title}`),
    { shown: 'empty: none', of: () => [] },
    "The feedback loops whose complaints count without the recipient's token if DKIM authenticates them, or SPF if they do not sign: From addresses, or domains used by the feedback loop only.",
  ),
  mxPort: setting('POSTRIDER_MX_PORT', integer(1, 65_535), '25', 'The port for connections to mail hosts.'),
  relayUrl: optional(
    'POSTRIDER_RELAY_URL',
    relayUrl,
    'empty: directly to the MX',
    'The relay (smarthost) for all messages, such as smtp://user:password@host:587.',
  ),
  dnsServers: optional(
    'POSTRIDER_DNS_SERVERS',
    list(hostAndPort, 'list of host:port'),
    "the system's",
    'The name servers to use.',
  ),
  dnssec: setting(
    'POSTRIDER_DNSSEC',
    oneOf('off', 'trusted'),
    'off',
    'States with `trusted` that the name servers validate DNSSEC and that the path to them is trusted (for example on this machine), and turns on DANE.',
  ),
  mtaStsPort: setting(
    'POSTRIDER_MTA_STS_PORT',
    integer(1, 65_535),
    '443',
    'The port that MTA-STS policies are fetched from.',
  ),
  tlsReports: setting(
    'POSTRIDER_TLS_REPORTS',
    oneOf('yes', 'no'),
    { shown: '`yes`, in the playground `no`', of: ({ mode }) => (mode === 'production' ? 'yes' : 'no') },
    'Sends daily TLS reports to recipient domains that ask for reports ([TLS](tls.md#tls-reports)).',
  ),
  replyTimeoutMs: setting(
    'POSTRIDER_REPLY_TIMEOUT',
    duration,
    '2m',
    'The timeout for a reply of a mail host; the reply to the whole message may take five times as long.',
  ),
  sourceAddresses: setting(
    'POSTRIDER_SOURCE_ADDRESSES',
    list(sourcePool, `list of ${sourcePool.title}`),
    { shown: "empty: the system's choice", of: () => [] },
    'The pools of source addresses for outgoing mail, such as main=192.0.2.10@mta1.example.com+2001:db8::10; the HELO name may be left out.',
  ),
  sourcePools: setting(
    'POSTRIDER_SOURCE_POOLS',
    list(sourceAssignment, `list of ${sourceAssignment.title}`),
    { shown: 'empty', of: () => [] },
    'The source pool of each domain or stream, such as example.com/broadcast=bulk,example.com=main,*=main; the first match of domain/stream, domain, stream, * applies.',
  ),
  blockLists: setting(
    'POSTRIDER_BLOCK_LISTS',
    offOr(list(blockList, `list of ${blockList.title}`)),
    {
      shown: `\`${USUAL_BLOCK_LISTS}\`, in the playground \`off\``,
      of: ({ mode }) =>
        mode === 'production' ? USUAL_BLOCK_LISTS.split(',').map((zone) => blockList.read(zone)) : [],
    },
    'The block lists in which the own addresses (`ip:`, the default) and domains (`domain:`) are looked up every hour ([deliverability](deliverability.md#block-lists)).',
  ),
  spamhausKey: optional(
    'POSTRIDER_SPAMHAUS_KEY',
    secretLabel,
    'empty: the free zones',
    'The key of the Data Query Service of Spamhaus, a secret; zen.spamhaus.org and dbl.spamhaus.org are then queried with this key.',
  ),
  postmasterKeyFile: optional(
    'POSTRIDER_POSTMASTER_KEY_FILE',
    text,
    'empty: no figures of Google',
    'The file with the key of a Google account that sees the domains in Postmaster Tools: the JSON of a service account, or of an authorized user; read at the start ([deliverability](deliverability.md#google-postmaster-tools)).',
  ),
  allowPrivateNetworks: setting(
    'POSTRIDER_ALLOW_PRIVATE_NETWORKS',
    list(network, 'list of CIDR'),
    { shown: 'empty', of: () => [] },
    'The special-use networks to which connections are allowed, such as 127.0.0.0/8.',
  ),
  webhookHttp: setting(
    'POSTRIDER_WEBHOOK_HTTP',
    oneOf('no', 'yes'),
    { shown: '`no`, in the playground `yes`', of: ({ mode }) => (mode === 'production' ? 'no' : 'yes') },
    'Allows http URLs for webhooks and for attachments by URL in addition to https; anybody on the way can read the contents.',
  ),
  spamFilterUrl: optional(
    'POSTRIDER_SPAM_FILTER_URL',
    url('rspamd+http', 'rspamd+https', 'spamd'),
    'empty: checks ask no spam filter',
    'The spam filter that checks of messages ask on request: rspamd+http://127.0.0.1:11333 for Rspamd, spamd://127.0.0.1:783 for SpamAssassin.',
  ),
  retrySchedule: setting(
    'POSTRIDER_RETRY_SCHEDULE',
    list(duration, 'list of durations'),
    '1m,5m,15m,30m,1h,2h,4h,8h,8h,8h,8h,8h',
    'The retry schedule: the delays between attempts, each with jitter. The sum of the delays is the queue lifetime, after which a recipient fails.',
  ),
  destinationConnections: setting(
    'POSTRIDER_DESTINATION_CONNECTIONS',
    integer(1, 1_000),
    '20',
    'The maximum number of connections from a node to one mail host (its name, or one of its addresses), for mail and verifications together; fewer while the host is new, slow or deferring (warm-up and back-off). A tenth, rounded up, is reserved for interactive verifications, unless the number is 1.',
  ),
  deliveryThreads: setting(
    'POSTRIDER_DELIVERY_THREADS',
    integer(1, 16),
    '1',
    'The number of threads that hold the connections to mail hosts; they read and record replies even when the event loop is busy.',
  ),
  messagesPerConnection: setting(
    'POSTRIDER_MESSAGES_PER_CONNECTION',
    integer(1, 10_000),
    '100',
    'The number of messages after which a connection to a mail host is replaced.',
  ),
  destinationRates: setting(
    'POSTRIDER_DESTINATION_RATES',
    list(
      named(hostName, rate, 'destination=rate such as `gmail.com=20/s`'),
      'list of destination=rate such as `gmail.com=20/s`',
    ),
    { shown: 'empty', of: () => [] },
    'The rate limit of a destination, together with all destinations on the same mail hosts.',
  ),
  sendingRate: setting(
    'POSTRIDER_SENDING_RATE',
    rate,
    '1000/s',
    'The rate limit for requests of each Sending API key and for messages of each SMTP credential.',
  ),
  verificationRate: setting(
    'POSTRIDER_VERIFICATION_RATE',
    rate,
    '50/s',
    'The rate limit for requests of each Verification API key.',
  ),
  authFailureRate: setting(
    'POSTRIDER_AUTH_FAILURE_RATE',
    rate,
    '20/m',
    'The rate limit for failed authentications from one client address.',
  ),
  verifyTimeoutMs: setting(
    'POSTRIDER_VERIFY_TIMEOUT_MS',
    integer(100, 60_000),
    '10000',
    'The deadline of a verification, in milliseconds.',
  ),
  verifySender: setting(
    'POSTRIDER_VERIFY_SENDER',
    text,
    { shown: 'empty: the null sender', of: () => '' },
    'The MAIL FROM of verifications.',
  ),
  verifySourcePool: optional(
    'POSTRIDER_VERIFY_SOURCE_POOL',
    text,
    "none: the system's choice",
    'The source pool of verifications; the first address of each family is used.',
  ),
  verifyConnections: setting(
    'POSTRIDER_VERIFY_CONNECTIONS',
    integer(1, 10_000),
    '500',
    'The maximum number of verifications that probe mail hosts at once.',
  ),
  verifyMxConnections: setting(
    'POSTRIDER_VERIFY_MX_CONNECTIONS',
    integer(1, 1_000),
    '10',
    'The maximum number of connections of verifications to one address of a mail host.',
  ),
  verifyDestinationConnections: setting(
    'POSTRIDER_VERIFY_DESTINATION_CONNECTIONS',
    integer(1, 1_000),
    '2',
    'The maximum number of verifications that probe the mail hosts of one recipient domain at once.',
  ),
  verifyDestinationRate: setting(
    'POSTRIDER_VERIFY_DESTINATION_RATE',
    rate,
    '50/s',
    'The rate limit for verifications that probe the mail hosts of one recipient domain.',
  ),
  verifyDenyFile: optional(
    'POSTRIDER_VERIFY_DENY_FILE',
    text,
    'none',
    'The file with domains, one per line, that verifications always call disposable; read at the start.',
  ),
  verifyAllowFile: optional(
    'POSTRIDER_VERIFY_ALLOW_FILE',
    text,
    'none',
    'The file with domains, one per line, that verifications never call disposable; read at the start.',
  ),
  maxBodyBytes: setting(
    'POSTRIDER_MAX_BODY_BYTES',
    integer(1_024, 104_857_600),
    '10485760',
    'The largest request body of a single send, in bytes.',
  ),
  maxBatchBytes: setting(
    'POSTRIDER_MAX_BATCH_BYTES',
    integer(1_024, 536_870_912),
    '52428800',
    'The largest request body of a batch, in bytes.',
  ),
  bodyMemoryBytes: setting(
    'POSTRIDER_BODY_MEMORY_BYTES',
    integer(1_048_576, 1_099_511_627_776),
    '134217728',
    'The memory for request bodies in progress, in bytes; one account gets at most half, and requests beyond its share wait or get 503.',
  ),
  maxMessageBytes: setting(
    'POSTRIDER_MAX_MESSAGE_BYTES',
    integer(1_024, 104_857_600),
    '26214400',
    'The largest composed message, in bytes.',
  ),
  maxRenderedBytes: setting(
    'POSTRIDER_MAX_RENDERED_BYTES',
    integer(1_024, 10_485_760),
    '1000000',
    'The maximum size of a rendered template in bytes, subject, HTML and text together; larger messages are refused with 422.',
  ),
  storedBytesPerAccount: optional(
    'POSTRIDER_STORED_BYTES_PER_ACCOUNT',
    integer(0, 999_999_999_999_999),
    'empty: no limit',
    'The maximum number of bytes of messages that an account stores, unless the operator has set another limit for the account; further messages are refused with 403.',
  ),
  contentRetentionMs: setting(
    'POSTRIDER_CONTENT_RETENTION',
    retention,
    '45d',
    'The retention of the contents of messages, unless a domain or a stream has a shorter one; a message with a waiting recipient is never removed.',
  ),
  transcriptRetentionMs: setting(
    'POSTRIDER_TRANSCRIPT_RETENTION',
    retention,
    '14d',
    'The retention of the SMTP dialogs of attempts, unless a domain or a stream has a shorter one.',
  ),
  recordRetentionMs: setting(
    'POSTRIDER_RECORD_RETENTION',
    retention,
    '400d',
    'The retention of messages with their recipients, attempts and events, unless a domain or a stream has a shorter one.',
  ),
  webhookRetentionMs: setting(
    'POSTRIDER_WEBHOOK_RETENTION',
    retention,
    '7d',
    "The retention of the deliveries of webhooks, with the receivers' answers; a delivery that an enabled webhook will try again is never removed.",
  ),
  verificationRetentionMs: setting(
    'POSTRIDER_VERIFICATION_RETENTION',
    retention,
    '90d',
    'The retention of lists of verified addresses with their results.',
  ),
  auditRetentionMs: setting(
    'POSTRIDER_AUDIT_RETENTION',
    retention,
    '365d',
    'The retention of the audit log.',
  ),
  figuresRetentionMs: setting(
    'POSTRIDER_FIGURES_RETENTION',
    retention,
    '730d',
    'The retention of the hourly figures for the charts.',
  ),
  requestLogRetentionMs: setting(
    'POSTRIDER_REQUEST_LOG_RETENTION',
    retention,
    '3d',
    'The retention of the log of API requests.',
  ),
  operatorToken: optional(
    'POSTRIDER_OPERATOR_TOKEN',
    secret(32),
    'empty: the operator API is off',
    'The bearer token of the operator API under /v1/operator, a secret.',
  ),
  logLevel: setting(
    'POSTRIDER_LOG_LEVEL',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'The lowest level that is logged, as JSON lines on standard error.',
  ),
  logMail: setting(
    'POSTRIDER_LOG_MAIL',
    oneOf('off', 'outcomes', 'all'),
    'off',
    'The lines about mail in the log, of the level `info`: `outcomes` logs each delivery attempt, suppressed recipient, bounce and complaint, `all` logs accepted messages as well.',
  ),
  logRecipients: setting(
    'POSTRIDER_LOG_RECIPIENTS',
    oneOf('address', 'domain'),
    'address',
    'The form of recipients in lines about mail; `domain` leaves out the address.',
  ),
  tracesUrl: optional(
    'POSTRIDER_TRACES_URL',
    url('http', 'https'),
    'empty: no traces',
    'The collector to which traces are sent by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces.',
  ),
  tracesOneIn: setting(
    'POSTRIDER_TRACES_ONE_IN',
    integer(1, 1_000_000),
    '1',
    'The sampling of traces: one of this number of messages (the same messages on all nodes) and one of this number of verifications is traced.',
  ),
} as const

/** Values of all settings, read once at the start and then frozen. */
export type Config = {
  readonly [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key] extends Setting<infer T> ? T : never
} & {
  /** Settings that are not at their default, by name. */
  readonly given?: Readonly<Record<string, GivenSetting>>
}

/** A setting as given, with its source. */
export interface GivenSetting {
  readonly text: string
  readonly source: 'environment' | 'file'
}
