// Takes the answers of a thread in short turns of the event loop.

/** Time of one turn for the answers of one thread, in milliseconds. */
const TURN_MS = 2

/**
 * Makes the listener for the messages of a thread. Node hands on up to a thousand of them before the event loop goes on,
 * also those that come meanwhile: where each answer leads to the next question, requests and connections would wait for
 * as long as the thread keeps up.
 *
 * @param turnMs time of one turn, in milliseconds
 */
export function inBatches<Answer>(
  hear: (answer: Answer) => void,
  turnMs = TURN_MS,
): (answer: Answer) => void {
  const waiting: Answer[] = []
  let since: number | undefined
  const hasTime = (): boolean => {
    if (since !== undefined) return performance.now() - since < turnMs
    since = performance.now()
    setImmediate(() => {
      since = undefined
    })
    return true
  }
  // One at a time: what an answer sets off by settled promises is done before the next.
  const hearNext = (): void => {
    if (hasTime()) hear(waiting.shift() as Answer)
    else setImmediate(hearNext)
  }
  return (answer) => {
    if (waiting.length === 0 && hasTime()) hear(answer)
    else {
      waiting.push(answer)
      setImmediate(hearNext)
    }
  }
}
