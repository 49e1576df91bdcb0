// Opens the store: the engine with all writes.

import { openStoreWith, type Store, type StoreSettings } from './database/store.ts'
import { WRITE_PROGRAM } from './writes.ts'

/**
 * Opens the store that the settings name; its tables are made or migrated. Throws `Problem` `unavailable` with what
 * keeps it from that, and the remedy.
 */
export const openStore = (settings: StoreSettings): Promise<Store> => openStoreWith(WRITE_PROGRAM, settings)
