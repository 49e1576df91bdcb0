// The reply of another mail server as a value, with code, enhanced code and text.

/** One SMTP reply (RFC 5321 §4.2). */
export interface Reply {
  /** Reply code of three digits, 200–599. */
  readonly code: number
  /** The enhanced status code (RFC 3463), such as `5.1.1`, if the reply has one. */
  readonly enhanced?: string
  /**
   * Text of all lines joined by spaces, without codes and with control characters replaced; at most 2,000 characters.
   */
  readonly text: string
}
