// What the SMTP doors allow at most, in one place.

/** Sizes in octets, times in milliseconds. */
export interface SmtpLimits {
  /** Connections open at once, in all and from one client network. */
  readonly connections: number
  readonly connectionsPerNetwork: number
  /** How long a TLS handshake at the port with implicit TLS may take. */
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
  /** What each window of a message transfer has to bring at least, as 500 octets a second. */
  readonly dataWindowMs: number
  readonly dataWindowOctets: number
  /** What is read of a message over the size limit, so that its client gets to see the refusal. */
  readonly discardedOctets: number
  /** Memory for all messages that are being received. */
  readonly receivingOctets: number
  /** Failed logins in one connection: answered late from the first number on, the last one ends it. */
  readonly slowLogins: number
  readonly failedLogins: number
  readonly loginDelayMs: number
  /** How long transactions under way may take to end when the service stops. */
  readonly stopMs: number
}

export const DEFAULT_LIMITS: SmtpLimits = {
  connections: 1_000,
  connectionsPerNetwork: 50,
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
  receivingOctets: 256 * 1024 * 1024,
}

/** What of a header is taken (reliability A11): beyond it a message is refused. */
export const HEADER_LIMITS = { headerOctets: 100 * 1024, fields: 1_000, received: 50 } as const
