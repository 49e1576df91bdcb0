// The envelope of one SMTP transaction: return path and recipients.

/** MAIL FROM and RCPT TO of one transaction (RFC 5321 §3.3). */
export interface Envelope {
  /** The return path without angle brackets; empty for the null reverse-path. */
  readonly from: string
  /** Recipient addresses as transmitted; at least one address. */
  readonly recipients: readonly string[]
  /** ASCII envelope ID with which hosts that support DSN (RFC 3461) are asked to report failures and delays. */
  readonly id?: string | undefined
}
