// postrider events tail and postrider message tail: follow events as they happen.

import { setTimeout as sleep } from 'node:timers/promises'
import type { EventDocument } from '../model/event-document.ts'
import type { Api } from './api.ts'
import type { Answer, Context } from './command.ts'
import { withApi } from './open.ts'
import { printable } from './text.ts'
import { shortDate } from './times.ts'

/** Inputs of the commands; conditions are combined with "and". */
export interface Followed {
  readonly type: string | undefined
  readonly domain: string | undefined
  readonly message: string | undefined
  readonly recipient: string | undefined
  readonly stream: string | undefined
  readonly tag: string | undefined
  /** Number of events after which the command ends. */
  readonly limit: number | undefined
  /** Time in milliseconds after which the command ends. */
  readonly for: number | undefined
  readonly account: string | undefined
}

interface Page {
  readonly data: readonly EventDocument[]
  readonly next_cursor: string
}

/** Pause between two questions for new events, in milliseconds. */
const POLL_MS = 1_000

/**
 * Prints events as they happen, each as a line, or with `--json` as an object in a line; ends after `limit` events or
 * after the given time.
 */
export function tail(
  context: Context,
  { account, limit = Number.POSITIVE_INFINITY, for: ms, message, ...filter }: Followed,
): Promise<Answer | undefined> {
  return withApi(context, account, async (api) => {
    const query = { ...filter, message_id: message }
    const endsAt = ms === undefined ? Number.POSITIVE_INFINITY : performance.now() + ms
    let [count, cursor] = [0, await endOfFeed(api, query)]
    for (;;) {
      const page = await api.get<Page>('/v1/events', { ...query, order: 'asc', cursor })
      for (const event of page.data.slice(0, limit - count)) {
        count++
        await context.print(`${context.json ? JSON.stringify(event) : lineOf(event)}\n`)
      }
      const isEnd = page.data.length === 0 && page.next_cursor === cursor
      cursor = page.next_cursor
      const left = endsAt - performance.now()
      if (count >= limit || left <= 0) return undefined
      if (isEnd) await sleep(Math.min(POLL_MS, left))
    }
  })
}

type Query = Readonly<Record<string, string | undefined>>

/** Returns the cursor after the newest event. */
async function endOfFeed(api: Api, query: Query): Promise<string | undefined> {
  const { data } = await api.get<Page>('/v1/events', { ...query, limit: 1 })
  const [newest] = data
  if (newest === undefined) return undefined
  let cursor: string | undefined
  for (;;) {
    const paging = { order: 'asc', limit: 200, after: newest.at, cursor }
    const page: Page = await api.get<Page>('/v1/events', { ...query, ...paging })
    const isEnd = page.data.length === 0 && page.next_cursor === cursor
    cursor = page.next_cursor
    if (isEnd || page.data.some(({ id }) => id === newest.id)) return cursor
  }
}

function lineOf({ at, type, email, message_id, reply }: EventDocument): string {
  const answer =
    reply === null ? [] : [`${reply.smtp_code ?? ''} ${reply.smtp_response ?? ''}`.trim()].filter(Boolean)
  return printable([shortDate(at), type.padEnd(12), email, message_id, ...answer].join('  '))
}
