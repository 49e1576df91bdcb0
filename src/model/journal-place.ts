// A position in the delivery journal, which records deliveries whose outcome is not in the store yet.

/** Position of the journal entry for one attempt, as plain data that can be sent to the thread of the SMTP dialog. */
export interface JournalPlace {
  /**
   * Descriptor of the journal file, which all threads of the process share and which is open until the dialog has
   * ended.
   */
  readonly file: number
  /** Offset of the entry in the file, in bytes. */
  readonly position: number
  /** Maximum size of an entry in bytes. */
  readonly maxBytes: number
  /** Start of the attempt, in milliseconds since the epoch. */
  readonly startedAt: number
  /** JSON object with at least one property, which the entry contains in addition to `attempt` and `now`. */
  readonly record: string
}
