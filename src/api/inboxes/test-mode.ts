// The test inbox of an account for messages of live credentials that a request marks as tests.

import { hashSecret, newSecret } from '../../access/secrets.ts'
import type { Clock } from '../../lib/clock.ts'
import { Problem } from '../../model/problem.ts'
import { KEEP_DAYS, KEEP_MESSAGES, MAX_INBOXES, testModeInbox } from '../../model/test-inbox.ts'
import { reading, type Store } from '../../store/database/store.ts'
import { createInbox, findInbox, UNCHANGED } from '../../store/inboxes/inboxes.ts'
import type { Sender } from '../../submission/authorize.ts'

interface TestModeServices {
  readonly store: Store
  readonly clock: Clock
}

/**
 * Returns the sender whose messages are test messages: they go to the test inbox of a test credential, or to the inbox
 * for test mode of the account, which is created for the first such message. Throws `conflict` if the account has the
 * maximum number of inboxes.
 */
export async function testSender({ store, clock }: TestModeServices, sender: Sender): Promise<Sender> {
  const { accountId } = sender
  if (sender.inboxId !== null) return sender
  const id = testModeInbox(accountId)
  if ((await reading(findInbox(store.read, { accountId, id }))) === undefined) {
    // The password is known to nobody; the mail is read with a key or in the dashboard.
    const password_hash = hashSecret(newSecret(''))
    const inbox = {
      ...{
        id,
        account_id: accountId,
        name: 'Test mode',
        password_hash,
        ...UNCHANGED,
        created_at: clock.now(),
      },
      ...{ keep_days: KEEP_DAYS.usual, keep_messages: KEEP_MESSAGES.usual },
    }
    if (!(await store.write(createInbox, { inbox, most: MAX_INBOXES }))) {
      throw new Problem('conflict', `An account has at most ${MAX_INBOXES} test inboxes; delete one first.`)
    }
  }
  return { ...sender, inboxId: id }
}
