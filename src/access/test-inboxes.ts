// Creates test inboxes; the password of an inbox is shown once, and its hash is stored.

import { newId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'
import { KEEP_DAYS, KEEP_MESSAGES, MAX_INBOXES } from '../model/test-inbox.ts'
import { createInbox, type TestInbox } from '../store/inboxes/inboxes.ts'
import type { Resources } from './accounts.ts'
import { hashSecret, newSecret } from './secrets.ts'

export interface NewInbox {
  readonly accountId: string
  readonly name: string
  readonly keepDays?: number | undefined
  readonly keepMessages?: number | undefined
}

/** Creates an inbox, and returns its password. Throws `conflict` if the account has the maximum number of inboxes. */
export async function makeInbox(
  { store, clock }: Resources,
  { accountId, name, keepDays = KEEP_DAYS.usual, keepMessages = KEEP_MESSAGES.usual }: NewInbox,
): Promise<{ readonly inbox: TestInbox; readonly password: string }> {
  const now = clock.now()
  const password = newSecret('')
  const inbox: TestInbox = {
    ...{ id: newId('inb', now), account_id: accountId, name, keep_days: keepDays },
    ...{ keep_messages: keepMessages, password_hash: hashSecret(password), changes: 0, created_at: now },
  }
  if (await store.write(createInbox, { inbox, most: MAX_INBOXES })) return { inbox, password }
  throw new Problem('conflict', `An account has at most ${MAX_INBOXES} test inboxes; delete one first.`)
}
