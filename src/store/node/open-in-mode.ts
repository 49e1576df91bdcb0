// Opening a store in one mode only: nothing of the playground can touch a production store, nor the other way round.

import { Problem } from '../../model/problem.ts'
import type { Store, StoreSettings } from '../database/store.ts'
import { openStore } from '../open-store.ts'
import { keepMode, readMode, type StoreMode } from './mode.ts'

/** The settings are of the other mode than the store. */
export class OtherModeError extends Problem {}

/**
 * Opens the store that the settings name, as `openStore` does. Throws `OtherModeError` with what to do when it was made
 * in the other mode; then nothing was written into it.
 */
export async function openStoreInMode(
  settings: StoreSettings & { readonly mode: StoreMode },
): Promise<Store> {
  const store = await openStore(settings)
  try {
    const made = (await readMode(store.read)) ?? (await store.write(keepMode, settings.mode))
    if (made !== settings.mode) throw otherMode(made, settings)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

function otherMode(
  made: StoreMode,
  { mode, dataDir, databaseUrl }: StoreSettings & { readonly mode: StoreMode },
) {
  const [place, another] =
    databaseUrl === undefined
      ? [`in ${dataDir}`, 'POSTRIDER_DATA_DIR']
      : ['at POSTRIDER_DATABASE_URL', 'POSTRIDER_DATABASE_URL']
  return new OtherModeError(
    'conflict',
    `The store ${place} was made in ${made} mode, and the settings say ${mode}: set POSTRIDER_MODE=${made}, or name another store with ${another}.`,
  )
}
