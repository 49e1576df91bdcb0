// The refusal to serve from a database that forgets accepted mail.

import type { Config } from '../config/settings.ts'
import type { Log } from '../lib/log.ts'
import { UnfitSettingsError } from '../model/unfit-settings.ts'
import { readDurability, TORN, TORN_REMEDY, UNSYNCED, UNSYNCED_REMEDY } from '../store/database/durability.ts'
import type { Read } from '../store/database/store.ts'

/** Throws `UnfitSettingsError` in production where commits may be lost; tells whatever else is not durable. */
export async function requireDurable(read: Read, config: Config, log: Log): Promise<void> {
  if (config.mode === 'playground') return
  const { isUnsynced = false, isTorn = false } = (await readDurability(read)) ?? {}
  if (isUnsynced && config.allowUnsafeDatabase === 'no')
    throw new UnfitSettingsError(
      'conflict',
      `${UNSYNCED}. ${UNSYNCED_REMEDY} POSTRIDER_ALLOW_UNSAFE_DATABASE=yes starts all the same.`,
    )
  if (isUnsynced) log.warn({}, `${UNSYNCED}. ${UNSYNCED_REMEDY}`)
  if (isTorn) log.warn({}, `${TORN}. ${TORN_REMEDY}`)
}
