// A place in the journal of deliveries that are not in the store yet.

/** A place that one attempt has for itself. Plain data, so that it can be handed to the thread that has the dialog. */
export interface JournalPlace {
  /** Descriptor of the file, which all threads of the process share; it stays open until the dialog has ended. */
  readonly file: number
  /** Bytes from the beginning of the file. */
  readonly position: number
  /** Bytes of an entry, at most. */
  readonly maxBytes: number
  /** Time at which the attempt began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Properties of the entry beside `attempt` and `now`: an object with at least one, as JSON. */
  readonly record: string
}
