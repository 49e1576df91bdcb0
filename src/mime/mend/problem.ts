// Reason why a message cannot be mended, worded for the sender of the message.

export interface MendProblem {
  /** `sender`: a field that names a sender has no single reading. `size`: the header section is too large. */
  readonly fault: 'sender' | 'header' | 'body' | 'size'
  /** Sentence for the sender of the message; the sentence names the place of the problem and the remedy. */
  readonly problem: string
}

/** True if the result is a problem. */
export const isMendProblem = (result: object): result is MendProblem => 'fault' in result
