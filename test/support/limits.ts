// Timeouts that tests give the service: some never expire on any machine, and the others expire on every machine. `npm
// run check` refuses a literal number for a `…TIMEOUT_MS` in a test.

import { patience } from './patience.ts'

/** Returns a timeout for the speed of this machine; settings are whole numbers. */
const scaled = (ms: number): number => Math.round(ms * patience())

/** Maximum value of the database timeout setting, longer than a test may take. */
export const NEVER_REACHED_MS = 300_000

/** Timeout that is never reached: the awaited event comes first, even on a busy machine. */
export const KEPT_MS = Math.min(scaled(60_000), NEVER_REACHED_MS)

/** Timeout that no verification reaches; the setting for verifications has a lower maximum. */
export const KEPT_BY_VERIFICATIONS_MS = 60_000

/** Timeout that never expires before a single response from the same machine, in tests of shared limits. */
export const KEPT_BY_AN_ANSWER_MS = 20_000

/** Timeout that always expires if nothing arrives, and never expires before an immediate reply or refusal. */
export const MISSED_MS = scaled(400)

/** Timeout that always expires if the database hangs, and never expires while the database works. */
export const MISSED_BY_DATABASE_MS = scaled(1_000)

/** Timeout that always expires for slow or missing replies, and never expires for the other dialogs of a test. */
export const MISSED_AFTER_WORK_MS = scaled(2_000)

/** Timeout that always expires for slow or missing replies, in tests with TLS or many slow dialogs. */
export const MISSED_AFTER_MUCH_WORK_MS = scaled(3_000)
