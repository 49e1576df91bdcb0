// A place in the journal of deliveries whose outcome is not in the store yet.

/** A place for one attempt. Plain data, so that it can be sent to the thread of the dialog. */
export interface JournalPlace {
  /** Descriptor of the file, which all threads of the process share; open until the dialog has ended. */
  readonly file: number
  /** Offset in the file, in bytes. */
  readonly position: number
  /** Maximum bytes of an entry. */
  readonly maxBytes: number
  /** Start of the attempt, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Properties of the entry in addition to `attempt` and `now`: an object with at least one, as JSON. */
  readonly record: string
}
