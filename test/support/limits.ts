// Time limits that tests give the service: those that are kept on any machine, and those that are missed on purpose.

import { patience } from './patience.ts'

/** A limit that is kept: whatever is waited for comes first, however busy the machine. */
export const KEPT_MS = 60_000 * patience()

/** A limit that a test must not wait for: longer than the test itself may take. */
export const NEVER_REACHED_MS = 5 * KEPT_MS

/** A limit that is missed, by something that never comes: nothing else has to be done within it. */
export const MISSED_MS = 300

/**
 * A limit that is missed by what is slow or never comes, after work that has to be done within it, such as the dialogs
 * before the silent one.
 */
export const MISSED_AFTER_WORK_MS = 2_000 * patience()
