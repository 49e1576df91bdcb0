// Gives up a store that does not answer while its node stops: otherwise each part that stops would wait for it again.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/database/store.ts'
import { readVersions } from '../store/node/installation.ts'

/** Time for an answer; the queue needs twelve of the thirty seconds in which a node stops. */
const SILENT_MS = 5_000
const EVERY_MS = 1_000

/**
 * Checks the store every second, and gives it up when a check gets no answer in time. Returns a function that ends the
 * checks.
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
  const check = async (): Promise<void> => {
    if (isOver) return
    cancel = clock.after(SILENT_MS, () => {
      end()
      log.warn({}, 'the store does not answer; the node stops without it')
      giveUp?.()
    })
    // An error is an answer as well.
    await readVersions(urgentRead).catch(() => {})
    cancel()
    if (!isOver) cancel = clock.after(EVERY_MS, () => void check())
  }
  void check()
  return end
}
