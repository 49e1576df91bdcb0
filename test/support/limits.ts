// Timeouts that tests give the service: some are never reached on any machine, others always. `npm run check` refuses
// a literal number for a `…TIMEOUT_MS` in a test.

import { patience } from './patience.ts'

/** Settings are whole numbers. */
const scaled = (ms: number): number => Math.round(ms * patience())

/** Maximum of the database setting, longer than a test may take. */
export const NEVER_REACHED_MS = 300_000

/** Never reached: the awaited event comes first, however busy the machine. */
export const KEPT_MS = Math.min(scaled(60_000), NEVER_REACHED_MS)

/** The same for a verification, whose setting has a lower maximum. */
export const KEPT_BY_VERIFICATIONS_MS = 60_000

/** Never reached by a single answer of the same machine, in tests of shared limits. */
export const KEPT_BY_AN_ANSWER_MS = 20_000

/** Always reached when nothing comes; immediate replies or refusals come before. */
export const MISSED_MS = scaled(400)

/** Always reached by a database that hangs, and never before it hangs. */
export const MISSED_BY_DATABASE_MS = scaled(1_000)

/** Always reached by slow or missing replies, after dialogs that end before. */
export const MISSED_AFTER_WORK_MS = scaled(2_000)

/** The same, after TLS, or in addition to many slow dialogs. */
export const MISSED_AFTER_MUCH_WORK_MS = scaled(3_000)
