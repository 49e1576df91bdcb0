// Tests the comments that an event stream sends while the filter selects no event.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOwner, messageTo } from '../../../test/support/queued.ts'
import { openTestStore } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import { acceptMessage } from '../../store/accepting/accept-message.ts'
import { FeedWatch } from '../../store/events/feed-watch.ts'
import { readWholeLog } from '../../store/readers/log-readers.ts'
import { followEvents } from '../../store/search/event-search.ts'
import { EventStreams } from './event-streams.ts'

const HEARTBEAT_MS = 100

test('comments are sent even while the filter skips events continuously', async () => {
  const store = await openTestStore('sqlite')
  after(() => store.close())
  const { accountId, domainId } = await createOwner(store)
  const watch = new FeedWatch(store, silentLog)
  await watch.start()
  after(() => watch.stop())
  const streams = new EventStreams(store.read, watch, HEARTBEAT_MS)
  const gone = new AbortController()
  let looks = 0
  const frames = streams.open({
    ...{ callerId: 'key_1', accountId, position: 0 },
    feedIds: async () => [domainId],
    follow: (read, ids, from) => followEvents(read, ids, { types: new Set(['complained']) }, from),
    // A new event is written before each check.
    async mayRead() {
      await store.write(acceptMessage, messageTo({ accountId, domainId }, ['a@b.example']))
      await readWholeLog(store)
      watch.check()
      return ++looks < 1_000
    },
    document: (event) => event,
    gone: gone.signal,
  })
  const first = await frames.next()
  assert.match(first.value, /^retry: \d+\nid: 0\n\n$/)
  const next = await frames.next()
  const [, position] = /^: still here\nid: (\d+)\n\n$/.exec(next.value) ?? []
  assert.ok(Number(position) > 0)
  gone.abort()
  await frames.return(undefined)
})
