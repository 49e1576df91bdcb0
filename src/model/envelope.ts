// The envelope of one SMTP transaction: the return path and the recipients.

/** MAIL FROM and RCPT TO of one transaction (RFC 5321 §3.3). */
export interface Envelope {
  /** The return path without angle brackets; empty for the null reverse-path. */
  readonly from: string
  /** Recipient addresses as they go to the wire, at least one. */
  readonly recipients: readonly string[]
  /** Asks hosts that offer DSN (RFC 3461) to report failure and delay, and to name this ID there; ASCII. */
  readonly id?: string | undefined
}
