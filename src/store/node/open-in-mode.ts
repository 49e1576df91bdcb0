// Opens a store and checks that the settings fit: the mode of the store, and the key that seals its secrets.

import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { Problem } from '../../model/problem.ts'
import { UnfitSettingsError } from '../../model/unfit-settings.ts'
import type { Read } from '../database/dialect.ts'
import { Secrets } from '../database/secrets.ts'
import { cannotOpen, databaseFile, openStoreWith, type Store, type StoreSettings } from '../database/store.ts'
import { lookAtStore } from '../database/unopened.ts'
import { WRITE_PROGRAM } from '../writes.ts'
import { keepMode, readMode, type StoreMode } from './mode.ts'
import { finishSealing, keepDataKey, readSealing } from './sealing.ts'
import {
  newDataKey,
  noSealingKey,
  notSealedYet,
  openDataKey,
  readSealingKey,
  type SealedDataKey,
  type SealingKey,
} from './sealing-key.ts'

/** Error if the store was created in another mode than the mode in the settings. */
export class OtherModeError extends UnfitSettingsError {}

/** Error if there is no store where the settings say. */
export class NoStoreError extends UnfitSettingsError {}

export interface StoreSettingsInMode extends StoreSettings {
  readonly mode: StoreMode
  /** True to migrate a store of an older version; only the service and the command `migrate` do so. */
  readonly migrates: boolean
  /** True to create a store where there is none, even without `migrates`. */
  readonly creates?: boolean
  /** File with the sealing key of the store. */
  readonly sealingKeyFile?: string | undefined
  /** True if a store with unsealed secrets may be opened with a key, in order to seal the secrets. */
  readonly seals?: boolean
}

/**
 * Opens the store that the settings name, as `openStore` does. Throws `UnfitSettingsError` with the remedy if the store
 * was created in the other mode (`OtherModeError`), has another sealing key, has a newer version, or does not exist and
 * may not be created (`NoStoreError`). Throws `conflict` if the store needs a migration that is not allowed. Writes
 * nothing before such an error.
 */
export async function openStoreInMode(settings: StoreSettingsInMode): Promise<Store> {
  const { sealingKeyFile } = settings
  const key = sealingKeyFile === undefined ? undefined : readSealingKey(sealingKeyFile)
  if (settings.databaseUrl === undefined) requireWritable(settings)
  const found = await lookAtStore(settings, async (read, { pending, unknown }) => ({
    ...{ pending, unknown },
    made: await readMode(read),
    sealing: await readSealing(read),
    isUsed: await isUsed(read),
  }))
  if (found === undefined && !settings.migrates && settings.creates !== true) throw noStore(settings)
  if (found !== undefined && found.unknown.length > 0) throw newerStore(settings, found.unknown)
  if (found?.made !== undefined && found.made !== settings.mode) throw otherMode(found.made, settings)
  const isNew = found?.isUsed !== true
  if (found !== undefined) requireFittingKey(found.sealing, key, isNew || settings.seals === true)
  if (found !== undefined && found.pending.length > 0 && !settings.migrates) throw olderStore(settings)
  const store = await logWhileMigrating(settings, found?.pending ?? [], () => openStore(settings))
  try {
    const made = (await readMode(store.read)) ?? (await store.write(keepMode, settings.mode))
    if (made !== settings.mode) throw otherMode(made, settings)
    return { ...store, secrets: await secretsOf(store, key, isNew) }
  } catch (error) {
    await store.close()
    throw error
  }
}

/**
 * Throws an error with the file name if this user may not write a file of the SQLite database. Opening a read-only
 * database, even for inspection, would create another file that stays read-only.
 */
function requireWritable(settings: StoreSettings): void {
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      accessSync(`${databaseFile(settings.dataDir)}${suffix}`, constants.R_OK | constants.W_OK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannotOpen(settings, error as Error)
    }
  }
}

/** True if the store has been used and therefore contains secrets. */
async function isUsed(read: Read): Promise<boolean> {
  const [fact, account] = await Promise.all([
    read.selectFrom('installation').select('name').where('name', '=', 'secret').executeTakeFirst(),
    read.selectFrom('accounts').select('id').limit(1).executeTakeFirst(),
  ])
  return fact !== undefined || account !== undefined
}

/** Interval between log entries about a long migration. */
const STILL_MS = 10_000

/**
 * Opens a store and logs its migrations: the names at the start, the elapsed time every ten seconds and at the end.
 */
async function logWhileMigrating<T>(
  { log }: Pick<StoreSettings, 'log'>,
  pending: readonly string[],
  open: () => Promise<T>,
): Promise<T> {
  if (pending.length === 0) return open()
  const began = Date.now()
  const seconds = (): number => Math.round((Date.now() - began) / 1_000)
  log.info({ migrations: pending }, 'the store is being migrated; let the migration finish')
  const reporting = setInterval(
    () => log.info({ seconds: seconds() }, 'the store is still being migrated; let the migration finish'),
    STILL_MS,
  )
  try {
    const opened = await open()
    log.info({ seconds: seconds() }, 'the store has been migrated')
    return opened
  } finally {
    clearInterval(reporting)
  }
}

function requireFittingKey(
  sealing: SealedDataKey | undefined,
  key: SealingKey | undefined,
  mayBegin: boolean,
): void {
  if (sealing !== undefined && key === undefined) throw noSealingKey(sealing)
  if (sealing !== undefined && key !== undefined) openDataKey(sealing, key)
  if (key !== undefined && !mayBegin && (sealing?.sealed_at ?? null) === null) throw notSealedYet(sealing)
}

/** Returns the secrets of the open store; seals a new store from the start if a key is given. */
async function secretsOf(store: Store, key: SealingKey | undefined, isNew: boolean): Promise<Secrets> {
  const now = Date.now()
  const row =
    (await readSealing(store.read)) ??
    (key === undefined ? undefined : await store.write(keepDataKey, newDataKey(key, now)))
  if (row === undefined) return new Secrets()
  if (key === undefined) throw noSealingKey(row)
  const dataKey = openDataKey(row, key)
  if (isNew) await store.write(finishSealing, { now })
  return new Secrets(dataKey)
}

const placeOf = ({ dataDir, databaseUrl }: StoreSettings): string =>
  databaseUrl === undefined ? `in ${dataDir}` : 'at POSTRIDER_DATABASE_URL'

/** Returns the error for a store that does not exist. */
export function noStore({
  dataDir,
  databaseUrl,
}: Pick<StoreSettings, 'dataDir' | 'databaseUrl'>): NoStoreError {
  const [place, setting] =
    databaseUrl === undefined
      ? [`in ${resolve(dataDir)}`, 'POSTRIDER_DATA_DIR']
      : ['in the database', 'POSTRIDER_DATABASE_URL']
  return new NoStoreError(
    'not_found',
    `There is no store ${place}: check that ${setting} and POSTRIDER_CONFIG are right. The first start of the service creates a store, and so does \`postrider account create NAME\`.`,
  )
}

function newerStore(settings: StoreSettings, unknown: readonly string[]): UnfitSettingsError {
  return new UnfitSettingsError(
    'conflict',
    `The store ${placeOf(settings)} is from a newer version than this program (the store has the migrations ${unknown.join(', ')}): start the newer version again, or restore an earlier backup.`,
  )
}

function olderStore(settings: StoreSettings): Problem {
  return new Problem(
    'conflict',
    `The store ${placeOf(settings)} is from an older version than this program: make a backup, then start the service or run \`postrider migrate\`. \`postrider upgrade --check\` shows the changes.`,
  )
}

function otherMode(made: StoreMode, settings: StoreSettingsInMode) {
  const { mode, databaseUrl } = settings
  const another = databaseUrl === undefined ? 'POSTRIDER_DATA_DIR' : 'POSTRIDER_DATABASE_URL'
  return new OtherModeError(
    'conflict',
    `The store ${placeOf(settings)} was made in ${made} mode, and the settings say ${mode}: set POSTRIDER_MODE=${made}, or name another store with ${another}.`,
  )
}

/**
 * Opens the store that the settings name, and creates or migrates its tables. Throws `Problem` `unavailable` with the
 * reason and the remedy if the store cannot be opened.
 */
export const openStore = (settings: StoreSettings): Promise<Store> => openStoreWith(WRITE_PROGRAM, settings)
