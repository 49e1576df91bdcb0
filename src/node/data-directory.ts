// A data directory that cannot be used, told with the setting that changes it.

import { resolve } from 'node:path'
import type { Config } from '../config/settings.ts'
import { isLasting, UnfitSettingsError } from '../model/unfit-settings.ts'

/** The problem of a start that may not read or write its files; undefined for any other error, and for a full disk. */
export function unfitDataDirectory(error: unknown, { dataDir }: Config): UnfitSettingsError | undefined {
  const { path, message } = error as NodeJS.ErrnoException
  if (path === undefined || !isLasting(error)) return undefined
  const [file, folder] = [`${resolve(path)}/`, `${resolve(dataDir)}/`]
  if (!file.startsWith(folder) && !folder.startsWith(file)) return undefined
  return new UnfitSettingsError(
    'unavailable',
    `The data directory ${dataDir} cannot be used (${message}); look whether POSTRIDER_DATA_DIR is right and writable for this user.`,
    { cause: error },
  )
}
