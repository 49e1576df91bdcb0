// Time limits that tests give the service: those that are kept on any machine, and those that are missed on purpose.
// `npm run check` refuses a number of its own for a `…TIMEOUT_MS` in a test.

import { patience } from './patience.ts'

/** Settings are whole numbers. */
const scaled = (ms: number): number => Math.round(ms * patience())

/** The most that the setting of the database takes, and longer than a test may take. */
export const NEVER_REACHED_MS = 300_000

/** Is kept: what is waited for comes first, however busy the machine. */
export const KEPT_MS = Math.min(scaled(60_000), NEVER_REACHED_MS)

/** The same for a verification, whose setting takes no more. */
export const KEPT_BY_VERIFICATIONS_MS = 60_000

/** Is kept by a single answer of the same machine, in tests of how a limit is shared. */
export const KEPT_BY_AN_ANSWER_MS = 20_000

/** Is missed, by what never comes; a dialog that is answered at once, or a refusal, is over before. */
export const MISSED_MS = scaled(400)

/** Is missed by a database that hangs, and kept by the same one before. */
export const MISSED_BY_DATABASE_MS = scaled(1_000)

/** Is missed by what is slow or never comes, after dialogs that are over before. */
export const MISSED_AFTER_WORK_MS = scaled(2_000)

/** The same, after TLS, or beside many that are slow. */
export const MISSED_AFTER_MUCH_WORK_MS = scaled(3_000)
