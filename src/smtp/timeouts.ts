// Time limits of the steps of a dialog.

/**
 * Milliseconds for each step. Each is a deadline for one complete reply: bytes that trickle in do not extend it.
 * RFC 5321 §4.5.3.2 names 5 minutes for most; hosts that are alive answer far sooner, so ours are shorter, apart
 * from the one after the final dot, where giving up early makes duplicates (§6.1).
 */
export interface Timeouts {
  readonly connect: number
  readonly greeting: number
  readonly ehlo: number
  readonly starttls: number
  /** For the TLS handshake: short enough for plaintext to have its turn where that may be (RFC 7435). */
  readonly handshake: number
  readonly auth: number
  readonly mail: number
  readonly rcpt: number
  /** From DATA to its 354. */
  readonly dataInit: number
  /** For the host to take one block (256 KiB) of the message. */
  readonly dataBlock: number
  /** From the final dot to its reply. */
  readonly dataEnd: number
  readonly quit: number
  /** From MAIL to the reply to DATA, all recipients together. */
  readonly envelope: number
  /**
   * Longest silence of a host that is still trusted to be there: after more, a message waits for the replies to its
   * envelope, so that a lost connection is found before the message has left.
   */
  readonly silence: number
}

const SECOND = 1000

export const defaultTimeouts: Timeouts = {
  connect: 30 * SECOND,
  greeting: 60 * SECOND,
  ehlo: 60 * SECOND,
  starttls: 60 * SECOND,
  handshake: 20 * SECOND,
  auth: 60 * SECOND,
  mail: 120 * SECOND,
  rcpt: 120 * SECOND,
  dataInit: 120 * SECOND,
  dataBlock: 180 * SECOND,
  dataEnd: 600 * SECOND,
  quit: 5 * SECOND,
  envelope: 900 * SECOND,
  silence: 5 * SECOND,
}

/** The usual ones, where no reply may take longer than `ms`, but for the one to a message, which may five times that. */
export function timeoutsWithin(ms: number): Timeouts {
  const within = Object.entries(defaultTimeouts).map(([step, usual]) => [step, Math.min(usual, ms)])
  return {
    ...(Object.fromEntries(within) as unknown as Timeouts),
    handshake: Math.min(defaultTimeouts.handshake, ms / 2),
    dataEnd: Math.min(defaultTimeouts.dataEnd, 5 * ms),
    envelope: Math.min(defaultTimeouts.envelope, 5 * ms),
  }
}

/** The time for each reply up to the message, when there is no time for slow hosts. */
const HURRIED_MS = 15 * SECOND
const BEFORE_THE_MESSAGE = [
  'connect',
  'greeting',
  'ehlo',
  'starttls',
  'handshake',
  'auth',
  'mail',
  'rcpt',
  'dataInit',
] as const

/** Shorter timeouts up to the message; the message and its reply keep theirs, so that nothing is sent twice. */
export function hurried(usual: Partial<Timeouts> = {}): Partial<Timeouts> {
  const steps = BEFORE_THE_MESSAGE.map((step) => [step, Math.min(HURRIED_MS, usual[step] ?? HURRIED_MS)])
  return { ...usual, ...Object.fromEntries(steps) }
}
