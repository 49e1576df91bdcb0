// Phrases of replies and their meaning, as an ordered table: the first matching phrase decides.

import {
  ADDRESS_NOT_FOUND,
  DISABLED,
  DISABLED_BARELY,
  DISABLED_ELSEWHERE,
  DOMAIN,
  DOMAIN_ENDED,
  FULL,
  FULL_FOR_GOOD,
  FULL_OF_MESSAGES,
  MAILBOX_OR_DOMAIN,
  NOT_FOUND,
  NOT_FOUND_ELSEWHERE,
  NOT_FOUND_LOOSELY,
  RELAY,
  RESTRICTED,
  type ReplyRule,
} from './recipient-phrases.ts'

// Refusals of the sender come before phrases about a mailbox: a false "not found" costs more than a false "unknown".

const GREYLISTING: ReplyRule = {
  category: 'rate_limited',
  greylisted: true,
  class: 4,
  phrases: `
    greylist*, grey list*, graylist*, gray list*, greylisting*, postgrey*, sqlgrey, greymilter,
    come back in, come back later, try again in, retry in, retry after, try again after, first contact,
    first time sender, not yet authorized to deliver`,
}

/** Replies of a host that could not check the mailbox, or that found a mail loop. */
const UNSURE: ReplyRule = {
  category: 'other',
  phrases: `
    insufficient system, (queue|spool|system|server|host|file system|filesystem|partition|volume) .. (full|space),
    (ldap|directory|database|backend) .. (unreachable|not reachable|unavailable|not available|down|timed out|timeout),
    write error, nobody answers, no answer, (locked|used|busy) by another, unverified address, (mail|routing|alias) loop, loops back,
    (mailbox|account) (is |)busy, (address|mailbox) ambiguous, ambiguous (address|recipient|mailbox|destination),
    loop detected, looping message, hop count, too many hops`,
}

/** Replies of a host that could not look up DNS records of the sending domain; the records may be correct. */
const LOOKUP: ReplyRule = {
  category: 'dns',
  class: 4,
  phrases: `
    (dmarc|spf|dkim|dns|mx) (lookup|query) (fail*|error|timeout|timed out),
    (temporary|temporarily|transient) .. (dmarc|spf|dkim), (dmarc|spf|dkim) .. (temporary|temporarily)`,
}

const NAMED_LISTS: ReplyRule = {
  category: 'blocked',
  readsNames: true,
  phrases: `
    spamhaus*, spamcop*, sorbs*, uceprotect*, barracudacentral*, barracuda reputation,
    barracudanetworks com reputation, abuseat, senderscore*, sender score, mailspike, invaluement, abusix,
    cloudmark, trendmicro com, mail abuse*, dnsbl*, rbl*, dnswl, zen, sbl, xbl, pbl, blocked using,
    blacklist*, black list*, blocklist*, block list*, denylist*, deny list*, is listed,
    host listed, reputation, schwarze liste, liste noire, lista negra, ip listed, ip4 .. listed,
    listed by rbl, found on one or more`,
}

const RATE: ReplyRule = {
  category: 'rate_limited',
  phrases: `
    rate limit*, ratelimit*, rate exceeded, exceeded ... rate, throttl*, too many, too much mail,
    excessive volume, limit for the number of messages, number of messages they can, too fast, too quickly,
    too frequent*, too often, slow down, concurrent connections, simultaneous connections, connection limit,
    connections limit, connection rate, message rate, rate control*, unusual rate, unexpected volume,
    mail flood*, sending limit*, sending quota, daily limit, daily quota, hourly limit, per hour, per day,
    recipient limit, recipients limit, limit ... recipients, maximum ... recipients,
    max message per connection, messages per connection, message limit per connection, temporarily deferred,
    server busy, server is busy, server too busy, system busy, too busy, frequency limited,
    exceeded message rate, mail server is overloaded, limit of invalid, recipients from ip4, quota of sender,
    trop de connexions, nombre maximum de connexions,
    zu viele, demasiad*, troppe connessioni, excessive`,
}

/** Rule for commands out of sequence; precedes `OUR_ADDRESS_AND_NAME`, which interprets any HELO as a rejected name. */
const OUT_OF_TURN: ReplyRule = {
  category: 'protocol',
  phrases: `
    specify a (destination|recipient), helo first, ehlo first, hello first, syntactically invalid helo, syntactically invalid ehlo,
    no (valid |)(recipient|recipients) (given|specified|named|have been specified|were specified|were given)`,
}

/** An address that leads to no mailbox; precedes `OUR_ADDRESS_AND_NAME`, which reads "does not resolve" of host names. */
const NOT_RESOLVED: ReplyRule = {
  category: 'mailbox_not_found',
  evidence: 'recipient',
  phrases: `
    (address|recipient|user|alias) .. not resolve to (a|an|any) (valid |known |local |)(mailbox|user|account|recipient)`,
}

const OUR_ADDRESS_AND_NAME: ReplyRule = {
  category: 'policy',
  phrases: `
    sender (s |)(address|domain), sender (verify|verification), sender .. (rejected|denied|refused|blocked|
    unknown|invalid|unvalidated|unverified|not|isn t|does not exist|doesn t exist), sending domain,
    domain of sender, verify sender, fake sender, sender or recipient*,
    (denies|refuses|rejects) the sender, forgery, batv,
    unknown sender, unknown senders, no such sender, invalid sender, null sender, failed for sender,
    callout to sender,
    sender (callout|callback), from address, emetteur, mismatch*, mail from invalid, invalid mail from,
    mail from must, does not resolve, cannot resolve, must resolve, not resolve, (mailing|sending) from,
    return path, invalid domain name, envelope sender, envelope from, mail from domain, from domain, helo*,
    ehlo, reverse, rdns, ptr, your hostname, your host name, unknown hosts, find your host*,
    resolve your host*, forward confirmed,
    not in whitelist, not whitelisted, not on ... whitelist, not on ... allowlist, adresse emetteur,
    expediteur, absender*, remitente, mittente, mailfrom, your domain, in mail from, you sent from,
    invalid sending address, (return|reply|originating) address, originator, you greeted with, you are unknown,
    you are not (a member|known|registered|listed|allowed), resource record, not allowed to connect`,
}

/** Replies about the account of the sender, not of the recipient. */
const OUR_ACCOUNT: ReplyRule = {
  category: 'policy',
  phrases: `
    (your|sending|sender|senders|sender s|smtp|submission) (sending |smtp |mail |email |e mail |)account
    (is|has|was|does|not|disabled|suspended|inactive|locked|blocked|closed),
    (account|mailbox|user) of (the sender|this sender|sender), (disabled|blocked|suspended) for sending,
    (client|auth|login|author|from|reply to|return path) (user|account|mailbox)`,
}

const AUTHENTICATION: ReplyRule = {
  category: 'auth',
  phrases: `
    dmarc*, dkim*, domainkey*, spf*, openspf*, sender policy framework, senderid, unauthenticated, not authenticated,
    is not authenticated, smtp authentication, smtp auth, authentication required, authentication needed,
    requires authentication, authentication failed, authentication failure, authentication unsuccessful,
    authentication checks, auth failed, auth error, credentials, (have to|must|need to) (log in|login|sign in) first, you (have to|must|need to) (log in|login|sign in),
    authentication level, authentication credentials, authentication information, must be authenticated,
    must authenticate, please authenticate, authenticate first, username and password, spoof*, arc seal`,
}

const ENCRYPTION: ReplyRule = {
  category: 'tls',
  phrases: `
    starttls, tls required, requires tls, require tls, requiretls, tls not available, tls is required,
    encryption required, encryption needed, session encryption, must use tls, secure connection`,
}

/**
 * Replies about the sending host; the rule precedes the rules for states of a mailbox, whose words also describe hosts.
 */
const OUR_HOST: ReplyRule = {
  category: 'blocked',
  phrases: `
    banned (ip|host|sender|sending), (the|this|your|sending|source|client|remote|connecting|dynamic) ip,
    ip address, address ip4, sending ips, ip is, ip ... (rejected|denied), client host, (client|host) rejected,
    unknown client, (unknown host|host unknown) ip4, connection (refused|rejected|denied|not accepted), connections not accepted,
    (sending|your|unregistered) host, sending server, dynamic ip*, not accepting (mail|messages) from,
    your server (is|has|does|ip|ip4), this host is not (found|known|listed), from (hosts|servers),
    client name, refused connection, refused to talk, not accepting connections, bad host, dynamic address*,
    dynamically assigned, dialup*, dial up, residential, your network, your isp`,
}

/**
 * Replies about a blocked or invalid IP address. The rule does not apply to a fault of the recipient, because a relay
 * also names the IP address of the host that refuses the recipient.
 */
const OUR_IP: ReplyRule = {
  category: 'blocked',
  notOfRecipient: true,
  phrases: 'ip4 .. (blocked|suspended|locked|disabled|invalid|not a valid)',
}

const BLOCKED: ReplyRule = {
  category: 'blocked',
  phrases: `
    blocked, banned, will not accept delivery, spammer*, spam source, source of spam, spamming, sending spam,
    spam trap*, spamtrap*,
    spam host, known spam*, suspicious activity, unwelcome, untrusted, user complaints, complaints,
    directory harvest*, dictionary attack*, gesperrt, bloque*, bloccat*, заблокирован*, 被拒绝, 黑名单`,
}

/** Replies that clearly refuse the content; the rule precedes `BLOCKED`, whose words may be about the sending host. */
const CONTENT_PLAINLY: ReplyRule = {
  category: 'content',
  phrases: `
    nature of the content, banned content, likely unsolicited, spam content, spam detected, spam message,
    as spam, suspicion of spam, virus*, malware, phishing, illegal attachment, message header,
    header field*, headers, from header, header missing, header is, header contains, missing header,
    invalid header, header error, rfc compliant, message filtered`,
}

const CONTENT: ReplyRule = {
  category: 'content',
  phrases: `
    spam, spam*, antispam*, junk, unsolicited, bulk mail, infected, malicious, suspicious, message content,
    mail content, content rejected, content denied, content reject*, content ... not accept*,
    content filter*, content policy, content restriction*, prohibited content, attachment*, attached file,
    file type, message ... looks like, rejected ... content, security issue, dangerous, url ... body,
    suspicious link*, html tag*, message id, mime, 8bit, rfc 5322, rfc5322, rfc 2822, rfc 822, message format,
    malformed message, bare lf, bare newline*, contenu, indesirable, 垃圾`,
}

const SIZE: ReplyRule = {
  category: 'size',
  phrases: `
    message size, message too large, message too big, message is too large, message is too big, too large,
    too big, size limit, maximum size, max size, maximum message size, size exceed*, exceeds size,
    exceeds ... size, exceeded ... size, exceeds ... maximum message, exceeded mailsize, mailsize limit,
    message exceeds, message length exceeds, nachricht zu gross, trop volumineux`,
}

const POLICY: ReplyRule = {
  category: 'policy',
  phrases: `
    policy, policies, mailpolicy, violat*, access denied, access not, permission denied, prohibited,
    forbidden, administrative prohibition, administratively, by administrator, by the administrator,
    not authorized, not authorised, unauthorized, not allowed, not permitted, service refused, mail refused,
    message refused, refused by, mail rejected, requires confirmation, message rejected, message was rejected,
    local rules,
    rejected by, denied, service refuse, mail rejete, politique, richtlinie*`,
}

const PROTOCOL: ReplyRule = {
  category: 'protocol',
  phrases: `
    syntax error, bad sequence, out of sequence, out of order, unrecognized command, unrecognised command,
    unknown command, command unrecognized, command unknown, command not, not implemented,
    unsupported parameter, need mail, need rcpt, pipelining, protocol error, protocol violation,
    synchronization error, unsupported option, line too long`,
}

/** Phrases of a relay about the next host. */
const RELAYED: readonly ReplyRule[] = [
  {
    category: 'expired',
    phrases: `
      message expired, queue expired, envelope expired, (delivery|maximum|queue) time (expired|exceeded), message too old, for the last .. seconds,
      retries giving up, failed .. attempts`,
  },
  {
    category: 'dns',
    phrases:
      'dns query, dns error, dns failure, dns lookup, dns timeout, dns problem, name server, name service error',
  },
]

const SILENCE: ReplyRule = {
  category: 'network',
  phrases: 'timeout, timed out, time out, idle, accept our requests to connect, connection reset',
}

/** Words that decide if no clearer phrase matches, for codes that are not about a policy. */
const WEAK: readonly ReplyRule[] = [
  { category: 'policy', about: 'destination', phrases: 'relay' },
  { category: 'blocked', readsNames: true, phrases: 'ip, block, black' },
  {
    category: 'blocked',
    phrases: `
      ip4 ... rejected, ip4 ... denied, ip4 ... refused, rejected ... ip4, denied ... ip4, refused ... ip4`,
  },
  { category: 'mailbox_full', notSubject: ['3'], phrases: 'quota, full' },
  {
    category: 'other',
    phrases: `
      unknown reason, unknown error, local problem, local error, internal error, system error,
      configuration error, server error, lookup, database, temporary, temporarily, ldap`,
  },
  {
    category: 'mailbox_disabled',
    evidence: 'words',
    notSubject: ['3', '4', '5', '7'],
    phrases: `
      disabled, inactive, suspended, discontinued, closed, not accepting mail, not accepting messages,
      not accept mail`,
  },
  {
    category: 'mailbox_not_found',
    evidence: 'words',
    class: 5,
    notSubject: ['1.7', '1.8', '7', '2', '3', '6'],
    phrases: `
      (user|mailbox|recipient|account|address) ... (unavailable|unavaliable|unavaiable|not available),
      unavailable .. (user|mailbox|recipient)`,
  },
  {
    category: 'mailbox_not_found',
    evidence: 'words',
    class: 5,
    notSubject: ['1.7', '1.8', '7', '2', '3', '4', '6'],
    phrases: `
      not found, unknown, invalid, not valid, undeliverable, address rejected., recipient rejected.,
      inconnu*, unbekannt*, desconocid*, sconosciut*, desconhecid*, nieznan*`,
  },
]

/** Rules in the order in which they are tried. */
export const GENERAL_RULES: readonly ReplyRule[] = [
  GREYLISTING,
  FULL_OF_MESSAGES,
  UNSURE,
  LOOKUP,
  NAMED_LISTS,
  RATE,
  OUT_OF_TURN,
  AUTHENTICATION,
  NOT_RESOLVED,
  OUR_ADDRESS_AND_NAME,
  ENCRYPTION,
  OUR_HOST,
  OUR_IP,
  OUR_ACCOUNT,
  RESTRICTED,
  MAILBOX_OR_DOMAIN,
  DOMAIN_ENDED,
  DISABLED,
  FULL,
  FULL_FOR_GOOD,
  DISABLED_BARELY,
  NOT_FOUND_ELSEWHERE,
  DISABLED_ELSEWHERE,
  CONTENT_PLAINLY,
  BLOCKED,
  RELAY,
  NOT_FOUND,
  ADDRESS_NOT_FOUND,
  DOMAIN,
  NOT_FOUND_LOOSELY,
  SIZE,
  CONTENT,
  POLICY,
  PROTOCOL,
  ...RELAYED,
  SILENCE,
  ...WEAK,
]
