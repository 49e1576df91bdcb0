// Stores the events of other objects of a domain than messages, such as incidents, in the commit of the change.

import { newId } from '../../lib/ids.ts'
import type { ObjectEvent } from '../../model/event.ts'
import type { Database } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import { logEvent } from './event-log.ts'

/** A new event of an object of a domain. */
export interface NewObjectEvent {
  readonly accountId: string
  readonly domainId: string
  readonly type: ObjectEvent
  readonly at: number
  /** ID of the object; the prefix of the ID is not the prefix of a message. */
  readonly objectId: string
  readonly detail: object
}

/** Writes events to the feeds of their domains; the events have no message and no recipient. */
export async function keepObjectEvents(db: Database, events: readonly NewObjectEvent[]): Promise<void> {
  const rows = events.map(({ accountId, domainId, type, at, objectId, detail }) => {
    const id = newId('evt', at)
    logEvent(db, {
      ...{ id, accountId, domainId, type, at, stream: '', messageId: objectId },
      ...{ createdAt: null, words: null, tag: null, size: null, uncounted: true },
    })
    return {
      ...{ id, message_id: objectId, account_id: accountId, domain_id: domainId, type, at, email: '' },
      detail: JSON.stringify(detail),
    }
  })
  await insertRows(db, 'events', rows)
}
