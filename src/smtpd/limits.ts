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
}

/** Sizes in octets, times in milliseconds. */
export interface SmtpLimits extends SlotLimits {
  /** Time for a TLS handshake. */
  readonly handshakeMs: number
  /** From one command to the end of the next (RFC 5321 §4.5.3.2.7: at least five minutes). */
  readonly commandMs: number
  /** Lines that are no commands, before the connection is closed. */
  readonly malformedLines: number
  /** Commands in a row that bring no message nearer, before the connection is closed; fewer before a login. */
  readonly fruitlessCommands: number
  readonly fruitlessCommandsBeforeLogin: number
  /** Recipients of one transaction (contract §2). */
  readonly recipients: number
  /** Least transfer of a message in each window, as 500 octets a second. */
  readonly dataWindowMs: number
  readonly dataWindowOctets: number
  /** Octets read of a message over the size limit, so that its client gets to see the refusal. */
  readonly discardedOctets: number
  /** Memory for all messages that are being received. */
  readonly receivingOctets: number
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
  handshakeMs: 30_000,
  commandMs: 300_000,
  malformedLines: 10,
  fruitlessCommands: 100,
  fruitlessCommandsBeforeLogin: 20,
  recipients: 50,
  dataWindowMs: 60_000,
  dataWindowOctets: 30_000,
  discardedOctets: 256 * 1024 * 1024,
  receivingOctets: 512 * 1024 * 1024,
  slowLogins: 3,
  failedLogins: 10,
  loginDelayMs: 1_000,
  stopMs: 10_000,
}

/** At the inbound door, where anybody may knock: fewer connections of one client, and less memory. */
export const INBOUND_LIMITS: SmtpLimits = {
  ...DEFAULT_LIMITS,
  connections: 500,
  connectionsPerNetwork: 20,
  connectionsPerBlock: 80,
  receivingOctets: 256 * 1024 * 1024,
}

/** Time limits for clients that have not logged in, while more than a share of the slots is taken. */
export interface StressLevel {
  /** The share of slots, 0 to 1. */
  readonly above: number
  /** From one command to the next. */
  readonly commandMs: number
  /** Without a login, or at the inbound door without a transaction. */
  readonly idleMs: number
}

/** The hardest first. Without stress it is `commandMs` of the limits: five minutes are a SHOULD (RFC 5321 §4.5.3.2). */
export const STRESS: readonly StressLevel[] = [
  { above: 0.9, commandMs: 10_000, idleMs: 20_000 },
  { above: 0.75, commandMs: 20_000, idleMs: 40_000 },
  { above: 0.5, commandMs: 30_000, idleMs: 60_000 },
]

/** Bounds of a header: beyond them a message is refused. */
export const HEADER_LIMITS = { headerOctets: 100 * 1024, fields: 1_000, received: 50 } as const
