// The reply of another mail server: code, enhanced code and text, as a value.

/** One SMTP reply (RFC 5321 §4.2). */
export interface Reply {
  /** Three digits, 200–599. */
  readonly code: number
  /** The enhanced status code (RFC 3463), such as `5.1.1`, if the reply has one. */
  readonly enhanced?: string
  /**
   * The text of all lines joined by a space, without codes; control characters replaced. The maximum is 2,000
   * characters.
   */
  readonly text: string
}
