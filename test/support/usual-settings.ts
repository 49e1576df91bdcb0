// The default settings of the nodes of all tests.

import { KEPT_MS } from './limits.ts'

/** Host name of the node, and a timeout for a database that shares the CPU with other tests. */
export const USUAL_SETTINGS = {
  POSTRIDER_HOSTNAME: 'sender.test',
  POSTRIDER_DATABASE_TIMEOUT_MS: String(KEPT_MS),
} as const

/** Setting that allows production mode although the PostgreSQL server of the tests runs without fsync. */
export const UNSAFE_DATABASE = { POSTRIDER_ALLOW_UNSAFE_DATABASE: 'yes' } as const
