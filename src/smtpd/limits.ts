// The limits of the SMTP ports, in one place.


/** Bounds on connections that are open at once; times in milliseconds. */
export interface SlotLimits {
  readonly connections: number
  /** Connections from one IPv4 address or one IPv6 network of 64 bits. */
  readonly connectionsPerNetwork: number
  /** Connections from one IPv6 network of 48 bits, the size that a site gets (RFC 6177 §2). */
  readonly connectionsPerBlock: number
  /**
   * The share of `connections` that is reserved for networks that have lately proved themselves: by a login, or at the
   * inbound port by mail with a valid token.
   */
  readonly reservedShare: number
  /** The time for which a network counts as known after it proved itself. */
  readonly knownMs: number
  /** Time without a login, or at the inbound port without a transaction, once slots get scarce (`STRESS`). */
  readonly loginMs: number
}

/** Sizes in bytes, times in milliseconds. */
export interface SmtpLimits extends SlotLimits {
  /** Time for a TLS handshake. */
  readonly handshakeMs: number
  /** Time from one command to the end of the next (RFC 5321 §4.5.3.2.7: at least five minutes). */
  readonly commandMs: number
  /** Malformed lines that are tolerated before the connection is closed. */
  readonly malformedLines: number
  /** Commands in a row that do not advance a message, before the connection is closed; fewer before a login. */
  readonly junkCommands: number
  readonly junkCommandsBeforeLogin: number
  /** Recipients of one transaction. */
  readonly recipients: number
  /** Window in which the minimum transfer of a message is measured, such as 500 bytes a second. */
  readonly dataWindowMs: number
  readonly dataWindowBytes: number
  /** Bytes that are read of a message over the size limit, so that its client receives the refusal. */
  readonly discardedBytes: number
  /** Failed logins in one connection: from this number on the reply is delayed; `failedLogins` ends the connection. */
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
  dataWindowBytes: 30_000,
  discardedBytes: 256 * 1024 * 1024,
  slowLogins: 3,
  failedLogins: 10,
  loginDelayMs: 1_000,
  stopMs: 10_000,
}

/** A site with a /48 of IPv6 may have as many connections as this number of networks. */
export const NETWORKS_PER_BLOCK = 4

/** The limits of the inbound port. One client gets fewer connections, because the port is public. */
export const INBOUND_LIMITS: SmtpLimits = {
  ...DEFAULT_LIMITS,
  connections: 500,
  connectionsPerNetwork: 20,
  connectionsPerBlock: 80,
}

/** The time limit for clients that have not logged in, while more than a share of the slots is taken. */
export interface StressLevel {
  /** The share of slots, 0 to 1. */
  readonly above: number
  /** The factor for `loginMs`, 0 to 1, the time to log in; half of that time applies from one command to the next. */
  readonly patience: number
}

/** The strictest first. Without stress the limit is `commandMs`: five minutes are a SHOULD (RFC 5321 §4.5.3.2). */
export const STRESS: readonly StressLevel[] = [
  { above: 0.9, patience: 1 / 3 },
  { above: 0.75, patience: 2 / 3 },
  { above: 0.5, patience: 1 },
]

/**
 * Limits of a header; a message that exceeds them is refused. They leave room for the fields that the service adds,
 * because a stored message is read again within 100 KiB and 1,000 fields.
 */
export const HEADER_LIMITS = { headerBytes: 98 * 1024, fields: 990, received: 50 } as const

type Bounds = Pick<SmtpLimits, 'malformedLines' | 'junkCommands' | 'junkCommandsBeforeLogin'>

/** Commands that by themselves do not advance a message. */
const IDLE = new Set(['NOOP', 'RSET', 'HELP', 'VRFY', 'EXPN', 'EHLO', 'HELO'])

/** Counts for one connection; an accepted message clears the counts. */
export class ErrorLimits {
  readonly #bounds: Bounds
  #malformed = 0
  #junk = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Counts a line that is no command; false when the limit is exceeded. */
  allowsMalformed(): boolean {
    return ++this.#malformed < this.#bounds.malformedLines
  }

  /** Counts a command; false after too many junk commands. */
  allows(verb: string, loggedIn: boolean): boolean {
    if (IDLE.has(verb)) this.#junk++
    const { junkCommands, junkCommandsBeforeLogin } = this.#bounds
    return this.#junk <= (loggedIn ? junkCommands : junkCommandsBeforeLogin)
  }

  /** Counts a command that was refused permanently. */
  refused(): void {
    this.#junk++
  }

  /** Clears the counts. */
  reset(): void {
    this.#malformed = 0
    this.#junk = 0
  }
}
