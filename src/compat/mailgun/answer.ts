// Mailgun's response to an accepted message.

/** Response to an accepted message. */
export interface SendAnswer {
  /** Message-ID in angle brackets. */
  readonly id: string
  readonly message: string
}

/** Returns the response to an accepted message; clients expect the text to begin with `Queued`. */
export const queued = (messageId: string): SendAnswer => ({
  id: `<${messageId}>`,
  message: 'Queued. Thank you.',
})
