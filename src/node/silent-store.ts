// Gives up a store that does not respond while the node stops; otherwise each stopping part would wait for the store
// again.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/database/store.ts'
import { readVersions } from '../store/node/installation.ts'

/** Timeout of a check of the store; a node stops within 30 seconds, and the queue needs 12 of these seconds. */
const SILENT_MS = 5_000
const EVERY_MS = 1_000

/** Checks the store every second; gives up the store if a check times out. Returns a function that ends the checks. */
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
    // An error also counts as a response of the store.
    await readVersions(urgentRead).catch(() => {})
    cancel()
    if (!isOver) cancel = clock.after(EVERY_MS, () => void check())
  }
  void check()
  return end
}
