// The key file outside the database: reads and creates the file, and seals the store's data key with the key.

import { hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Sealing } from '../../lib/sealing.ts'
import { Problem } from '../../model/problem.ts'
import { UnfitSettingsError } from '../../model/unfit-settings.ts'
import type { Tables } from '../database/schema.ts'

/** Row with the sealed data key of a store. */
export type SealedDataKey = Tables['sealing']

const SETTING = 'POSTRIDER_SEALING_KEY_FILE'
const MAX_BYTES = 4_096
/** Pattern of a key: at least 32 bytes in base64 or hexadecimal. */
const KEY = /^[A-Za-z0-9+/_-]{43,}={0,2}$/
/** Permission bits that a key file must not have: write access for the group, and any access for other users. */
const TOO_OPEN = 0o027
const OWNER = 'store'

/** Sealing key from a file. */
export interface SealingKey {
  readonly file: string
  /** Fingerprint that distinguishes keys without revealing a key. */
  readonly fingerprint: string
  readonly sealing: Sealing
}

/**
 * Reads the sealing key from a file. Throws `UnfitSettingsError` if the file is missing, unreadable, accessible to
 * other users, or contains no key of at least 32 bytes in base64 or hexadecimal.
 * @param source the setting or the argument that names the file, for messages
 */
export function readSealingKey(file: string, source = SETTING): SealingKey {
  const text = readKeyFile(file, source).trim()
  if (!KEY.test(text)) {
    throw unfit(
      `${file} contains no key: 32 random bytes in base64 are needed; \`postrider seal make-key FILE\` makes such a file.`,
    )
  }
  const fingerprint = Buffer.from(hkdfSync('sha256', text, '', 'postrider sealing fingerprint', 8))
  return { file, fingerprint: fingerprint.toString('hex'), sealing: new Sealing(text, 'data key') }
}

function readKeyFile(file: string, source: string): string {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code ?? message})`
    throw unfit(
      `The key file ${file} of ${source} ${why}: mount or restore it, readable for the user of the service.`,
    )
  }
  try {
    const found = fstatSync(handle)
    if (!found.isFile()) throw unfit(`${file}, which ${source} names, is not a file; name a file with a key.`)
    if (found.size > MAX_BYTES) throw unfit(`${file} is too large for a key; check that ${source} is right.`)
    if ((found.mode & TOO_OPEN) !== 0) {
      const mode = (found.mode & 0o777).toString(8).padStart(4, '0')
      throw unfit(`Others may use the key file ${file} (mode ${mode}): run \`chmod 0600 ${file}\`.`)
    }
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

/** Writes a new key into a new file that only its owner can read. Throws `conflict` if the file exists. */
export function makeSealingKey(file: string): SealingKey {
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Problem('conflict', `${file} already exists; a key is never replaced. Name another file.`)
  }
  return readSealingKey(file)
}

/** Returns a new data key for a store that counts as sealed from the time `now` on. */
export const newDataKey = (key: SealingKey, now: number): SealedDataKey => ({
  ...wrapped(randomBytes(32).toString('base64url'), key),
  ...{ begun_at: now, sealed_at: null },
})

/** Returns the row of a data key that a sealing key has sealed. */
export const wrapped = (dataKey: string, { fingerprint, sealing }: SealingKey) => ({
  id: OWNER as 'store',
  fingerprint,
  data_key: sealing.seal(dataKey, OWNER),
})

/**
 * Returns the data key from a row. Throws `UnfitSettingsError` if the data key was sealed with another sealing key.
 */
export function openDataKey(row: SealedDataKey, key: SealingKey): string {
  try {
    if (row.fingerprint === key.fingerprint) return key.sealing.open(row.data_key, OWNER)
  } catch (cause) {
    throw new Problem('unavailable', 'The data key of the store is damaged; restore a backup.', { cause })
  }
  throw unfit(
    `The store is sealed with the key ${row.fingerprint}, and ${key.file} contains the key ${key.fingerprint}: set ${SETTING} to the file with the right key.`,
  )
}

/** Returns the error for opening a sealed store without a sealing key. */
export const noSealingKey = ({ fingerprint }: SealedDataKey): UnfitSettingsError =>
  unfit(`The store is sealed with the key ${fingerprint}: set ${SETTING} to the file with this key.`)

/** Returns the error for opening a store with a sealing key before all secrets of the store are sealed. */
export const notSealedYet = (row: SealedDataKey | undefined): UnfitSettingsError =>
  unfit(
    `${SETTING} is set, and the store is not ${row === undefined ? 'sealed' : 'completely sealed'} yet: stop every node and run \`postrider seal store\`, or unset the setting.`,
  )

const unfit = (detail: string): UnfitSettingsError => new UnfitSettingsError('conflict', detail)
