// A store that does not answer while its node stops is given up: each part that ends would wait for it anew.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/database/store.ts'
import { readVersions } from '../store/node/installation.ts'

/** Time for an answer; the queue needs twelve seconds of the thirty in which a node stops. */
const SILENT_MS = 5_000
const EVERY_MS = 1_000

/**
 * Looks at the store every second, and gives it up when a look is not answered in time. Answers the function that ends
 * it.
 */
export function giveUpWhenSilent(
  { giveUp, urgentRead }: Pick<Store, 'giveUp' | 'urgentRead'>,
  clock: Clock,
  log: Log,
): () => void {
  let isOver = giveUp === undefined
  let cancel = (): void => {}
  const end = (): void => {
    isOver = true
    cancel()
  }
  const look = async (): Promise<void> => {
    if (isOver) return
    cancel = clock.after(SILENT_MS, () => {
      end()
      log.warn({}, 'the store does not answer; the node stops without it')
      giveUp?.()
    })
    // A refusal is an answer too.
    await readVersions(urgentRead).catch(() => {})
    cancel()
    if (!isOver) cancel = clock.after(EVERY_MS, () => void look())
  }
  void look()
  return end
}
