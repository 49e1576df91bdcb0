// The envelope of one SMTP transaction: return path and recipients.

/** MAIL FROM and RCPT TO of one transaction (RFC 5321 §3.3). */
export interface Envelope {
  /** The return path without angle brackets; empty for the null reverse-path. */
  readonly from: string
  /** Recipient addresses as transmitted, at least one. */
  readonly recipients: readonly string[]
  /** Asks hosts that offer DSN (RFC 3461) to report failure and delay, with this ID; ASCII. */
  readonly id?: string | undefined
}
