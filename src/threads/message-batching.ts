// Handles the messages of a thread in short turns of the event loop.

/** Maximum time per turn for the messages of one thread, in milliseconds. */
const TURN_MS = 2

/**
 * Returns a listener for the messages of a thread. Node delivers up to a thousand messages before the event loop
 * continues, including messages that arrive meanwhile. Requests and connections would otherwise wait for as long as
 * messages arrive, which may never end if each answer leads to the next order.
 * @param turnMs time per turn, in milliseconds
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
  // Messages are handled one at a time: work that a message starts through settled promises is done before the next
  // message.
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
