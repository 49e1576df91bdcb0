// Reply of another mail server: code, enhanced code and text, as a value.

/** One SMTP reply (RFC 5321 §4.2). */
export interface Reply {
  /** Three digits, 200–599. */
  readonly code: number
  /** The enhanced status code (RFC 3463), such as `5.1.1`, when the reply carried one. */
  readonly enhanced?: string
  /** The text of all lines joined by a space, without codes; control characters replaced. At most 2,000 characters. */
  readonly text: string
}
