// Timeouts of the steps of a dialog.

/**
 * Timeouts of the steps of a dialog, in milliseconds. Each timeout is a deadline for one complete reply; single bytes
 * of the reply do not extend the deadline. RFC 5321 §4.5.3.2 names 5 minutes for most steps. Live hosts reply far
 * sooner, so these timeouts are shorter, except the timeout after the final dot, where giving up early causes
 * duplicates (RFC 5321 §6.1).
 */
export interface Timeouts {
  readonly connect: number
  readonly greeting: number
  readonly ehlo: number
  readonly starttls: number
  /** Timeout of the TLS handshake, short enough to leave time for the plaintext fallback (RFC 7435). */
  readonly handshake: number
  readonly auth: number
  readonly mail: number
  readonly rcpt: number
  /** Time from DATA to the 354 reply. */
  readonly dataInit: number
  /** Timeout of each block (256 KiB) of the message. */
  readonly dataBlock: number
  /** Time from the final dot to the reply. */
  readonly dataEnd: number
  readonly quit: number
  /** Time from MAIL to the reply to DATA, for all recipients together. */
  readonly envelope: number
  /**
   * Maximum silence of a host whose connection is assumed to be open: after a longer silence, a message waits for the
   * replies to its envelope, so that a lost connection is noticed before the message is sent.
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

/**
 * Returns the default timeouts, limited to `ms` per reply, and to five times `ms` for the whole envelope and for the
 * reply to a message.
 */
export function timeoutsWithin(ms: number): Timeouts {
  const within = Object.entries(defaultTimeouts).map(([step, usual]) => [step, Math.min(usual, ms)])
  return {
    ...(Object.fromEntries(within) as unknown as Timeouts),
    handshake: Math.min(defaultTimeouts.handshake, ms / 2),
    dataEnd: Math.min(defaultTimeouts.dataEnd, 5 * ms),
    envelope: Math.min(defaultTimeouts.envelope, 5 * ms),
  }
}

/** Timeout of each reply before the message, in milliseconds, when delivery slots are scarce. */
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

/**
 * Returns shorter timeouts for the steps before the message; the message and its reply keep their timeouts, so that no
 * message is sent twice.
 */
export function hurried(usual: Partial<Timeouts> = {}): Partial<Timeouts> {
  const steps = BEFORE_THE_MESSAGE.map((step) => [step, Math.min(HURRIED_MS, usual[step] ?? HURRIED_MS)])
  return { ...usual, ...Object.fromEntries(steps) }
}
