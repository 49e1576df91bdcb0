// The limits of the SMTP ports, in one place.

/** Limits of concurrent connections; times are in milliseconds. */
export interface SlotLimits {
  readonly connections: number
  /** Maximum number of connections from one IPv4 address or one IPv6 /64. */
  readonly connectionsPerNetwork: number
  /** Maximum number of connections from one IPv6 /48, the size of the network of a site (RFC 6177 §2). */
  readonly connectionsPerBlock: number
  /**
   * The share of `connections` that is reserved for networks that have recently proved themselves: by a login, or by
   * mail with a valid token at the inbound port.
   */
  readonly reservedShare: number
  /** The time for which a network counts as known after it proved itself. */
  readonly knownMs: number
  /** Maximum time without a login, or without a transaction at the inbound port, while slots are scarce (`STRESS`). */
  readonly loginMs: number
}

/** Limits of an SMTP port, with sizes in bytes and times in milliseconds. */
export interface SmtpLimits extends SlotLimits {
  /** Time for a TLS handshake. */
  readonly handshakeMs: number
  /** Maximum time from one command to the end of the next command (RFC 5321 §4.5.3.2.7: at least five minutes). */
  readonly commandMs: number
  /** Number of malformed lines after which the connection is closed. */
  readonly malformedLines: number
  /** Number of commands without progress of a message after which the connection is closed; lower before a login. */
  readonly junkCommands: number
  readonly junkCommandsBeforeLogin: number
  /** Maximum number of recipients of one transaction. */
  readonly recipients: number
  /** Window in which the transfer rate of a message is measured, and the minimum number of bytes in a window. */
  readonly dataWindowMs: number
  readonly dataWindowBytes: number
  /** Maximum number of bytes that are read beyond the size limit of a message, so that the client gets the refusal. */
  readonly discardedBytes: number
  /**
   * Number of failed logins in one connection after which replies are delayed; `failedLogins` is the number after which
   * the connection is closed.
   */
  readonly slowLogins: number
  readonly failedLogins: number
  readonly loginDelayMs: number
  /** Maximum time that a stopping service waits for transactions under way. */
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

/** A site with an IPv6 /48 may have as many connections as this number of client networks. */
export const NETWORKS_PER_BLOCK = 4

/**
 * The limits of the inbound port. One client gets fewer connections than at the submission ports, because the inbound
 * port is public.
 */
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
  /** Factor for the time to log in (`loginMs`), 0 to 1; half of the reduced time is the limit between two commands. */
  readonly patience: number
}

/** Stress levels, strictest first. The usual limit is `commandMs`: RFC 5321 §4.5.3.2 recommends five minutes. */
export const STRESS: readonly StressLevel[] = [
  { above: 0.9, patience: 1 / 3 },
  { above: 0.75, patience: 2 / 3 },
  { above: 0.5, patience: 1 },
]

/**
 * Limits of a header section; a message beyond these limits is refused. The limits leave room for the fields that the
 * service adds, because the header section of a stored message may have 100 KiB and 1,000 fields.
 */
export const HEADER_LIMITS = { headerBytes: 98 * 1024, fields: 990, received: 50 } as const

type Bounds = Pick<SmtpLimits, 'malformedLines' | 'junkCommands' | 'junkCommandsBeforeLogin'>

/** Commands that do not advance a message. */
const IDLE = new Set(['NOOP', 'RSET', 'HELP', 'VRFY', 'EXPN', 'EHLO', 'HELO'])

/** Counts malformed lines and junk commands of one connection; an accepted message clears the counts. */
export class ErrorLimits {
  readonly #bounds: Bounds
  #malformed = 0
  #junk = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Counts a line that is not a command; returns false if the limit is exceeded. */
  allowsMalformed(): boolean {
    return ++this.#malformed < this.#bounds.malformedLines
  }

  /** Counts a command; returns false after too many junk commands. */
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
