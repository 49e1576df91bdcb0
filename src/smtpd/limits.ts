// The limits of the SMTP doors, in one place.

/** Bounds on connections that are open at once; times in milliseconds. */
export interface SlotLimits {
  readonly connections: number
  /** From one IPv4 address or one IPv6 network of 64 bits. */
  readonly connectionsPerNetwork: number
  /** From one IPv6 network of 48 bits, which is what a site gets (RFC 6177 §2). */
  readonly connectionsPerBlock: number
  /** The share of `connections` that is kept for networks that have lately done what the door is there for. */
  readonly reservedShare: number
  /** The time for which a network counts as having done so. */
  readonly knownMs: number
  /** Time without a login, or at the inbound door without a transaction, once slots get scarce (`STRESS`). */
  readonly loginMs: number
}

/** Sizes in bytes, times in milliseconds. */
export interface SmtpLimits extends SlotLimits {
  /** Time for a TLS handshake. */
  readonly handshakeMs: number
  /** From one command to the end of the next (RFC 5321 §4.5.3.2.7: at least five minutes). */
  readonly commandMs: number
  /** Lines that are no commands, before the connection is closed. */
  readonly malformedLines: number
  /** Commands in a row that bring no message nearer, before the connection is closed; fewer before a login. */
  readonly junkCommands: number
  readonly junkCommandsBeforeLogin: number
  /** Recipients of one transaction (contract §2). */
  readonly recipients: number
  /** Least transfer of a message in each window, as 500 bytes a second. */
  readonly dataWindowMs: number
  readonly dataWindowOctets: number
  /** Bytes read of a message over the size limit, so that its client gets to see the refusal. */
  readonly discardedOctets: number
  /** Failed logins in one connection: answered late from the first number on, the last one ends it. */
  readonly slowLogins: number
  readonly failedLogins: number
  readonly loginDelayMs: number
  /** Time for transactions under way to end when the service stops. */
  readonly stopMs: number
}

export const DEFAULT_LIMITS: SmtpLimits = {
  connections: 1_000,
  connectionsPerNetwork: 50,
  connectionsPerBlock: 200,
  reservedShare: 0.2,
  knownMs: 7 * 24 * 3_600_000,
  loginMs: 60_000,
  handshakeMs: 30_000,
  commandMs: 300_000,
  malformedLines: 10,
  junkCommands: 100,
  junkCommandsBeforeLogin: 20,
  recipients: 50,
  dataWindowMs: 60_000,
  dataWindowOctets: 30_000,
  discardedOctets: 256 * 1024 * 1024,
  slowLogins: 3,
  failedLogins: 10,
  loginDelayMs: 1_000,
  stopMs: 10_000,
}

/** A site with a /48 of IPv6 has as many connections as so many networks. */
export const NETWORKS_PER_BLOCK = 4

/** At the inbound door, which is public: fewer connections of one client. */
export const INBOUND_LIMITS: SmtpLimits = {
  ...DEFAULT_LIMITS,
  connections: 500,
  connectionsPerNetwork: 20,
  connectionsPerBlock: 80,
}

/** Patience with clients that have not logged in, while more than a share of the slots is taken. */
export interface StressLevel {
  /** The share of slots, 0 to 1. */
  readonly above: number
  /** The share of `loginMs`, 0 to 1, that they have to log in; half of that from one command to the next. */
  readonly patience: number
}

/** The hardest first. Without stress it is `commandMs` of the limits: five minutes are a SHOULD (RFC 5321 §4.5.3.2). */
export const STRESS: readonly StressLevel[] = [
  { above: 0.9, patience: 1 / 3 },
  { above: 0.75, patience: 2 / 3 },
  { above: 0.5, patience: 1 },
]

/**
 * Bounds of a header: beyond them a message is refused. They leave room for the fields that the service adds, since what is
 * stored is read again within 100 KiB and 1,000 fields.
 */
export const HEADER_LIMITS = { headerOctets: 98 * 1024, fields: 990, received: 50 } as const
