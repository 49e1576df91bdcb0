// Opening a store in one mode only: nothing of the playground can touch a production store, nor the other way round.

import { Problem } from '../../model/problem.ts'
import type { Store, StoreSettings } from '../database/store.ts'
import { lookAtStore } from '../database/unopened.ts'
import { openStore } from '../open-store.ts'
import { keepMode, readMode, type StoreMode } from './mode.ts'

/** The settings are of the other mode than the store. */
export class OtherModeError extends Problem {}

export interface StoreSettingsInMode extends StoreSettings {
  readonly mode: StoreMode
  /** True when a store of an older version is to be migrated: the service and `migrate` do that, no other command. */
  readonly migrates: boolean
}

/**
 * Opens the store that the settings name, as `openStore` does. Throws `OtherModeError` with what to do when it was made
 * in the other mode, and `conflict` when it would have to be migrated and may not; then nothing was written into it.
 */
export async function openStoreInMode(settings: StoreSettingsInMode): Promise<Store> {
  const found = await lookAtStore(settings, async (read, { pending }) => ({
    pending,
    made: await readMode(read).catch(() => undefined),
  }))
  if (found?.made !== undefined && found.made !== settings.mode) throw otherMode(found.made, settings)
  if (found !== undefined && found.pending.length > 0 && !settings.migrates) throw olderStore(settings)
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

function olderStore({ dataDir, databaseUrl }: StoreSettings): Problem {
  const place = databaseUrl === undefined ? `in ${dataDir}` : 'at POSTRIDER_DATABASE_URL'
  return new Problem(
    'conflict',
    `The store ${place} is of an older version than this program: make a backup, then start the service or run \`postrider migrate\`. \`postrider upgrade --check\` says what that changes.`,
  )
}

function otherMode(made: StoreMode, { mode, dataDir, databaseUrl }: StoreSettingsInMode) {
  const [place, another] =
    databaseUrl === undefined
      ? [`in ${dataDir}`, 'POSTRIDER_DATA_DIR']
      : ['at POSTRIDER_DATABASE_URL', 'POSTRIDER_DATABASE_URL']
  return new OtherModeError(
    'conflict',
    `The store ${place} was made in ${made} mode, and the settings say ${mode}: set POSTRIDER_MODE=${made}, or name another store with ${another}.`,
  )
}
