// Reason why a message cannot be mended, in words for its sender.

export interface MendProblem {
  /** `sender`: a field that names a sender has no single reading. `size`: the header section is too large. */
  readonly fault: 'sender' | 'header' | 'body' | 'size'
  /** Sentence for the sender of the message that names the place and the remedy. */
  readonly problem: string
}

/** True if the result is a problem. */
export const isMendProblem = (result: object): result is MendProblem => 'fault' in result
