// Mailgun's list of events, which clients read page by page and poll for new events.

import { follow, list } from '../../api/events/list.ts'
import { wrongCursor } from '../../http/page.ts'
import { isId } from '../../lib/ids.ts'
import { isAddress, parseAddress } from '../../model/address.ts'
import { EVENT_TYPES, type EventType } from '../../model/event.ts'
import { invalidFields } from '../../model/problem.ts'
import type { EventFilter } from '../../store/events/event-filter.ts'
import type { PublishedEvent } from '../../store/events/feed.ts'
import { mailgunEvent, mailgunType } from '../../webhooks/formats/mailgun.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { baseUrlOf, enterDomain } from './domain.ts'
import { type Matches, readExpression, requiredValue } from './expressions.ts'
import { readMailgunTime } from './times.ts'

const noun = 'Events'
const scope = 'messages:read'
const differences =
  'Events of the types `rejected` and `stored` do not occur. A page may have fewer events than `limit`, also before the end; only a page without events is the end.'

export const eventCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/v3/:domain/events', noun, scope, state: 'differs', differences },
    summary: 'List events, or poll for new events',
    handler: showEvents,
  },
  {
    ...{ method: 'GET', path: '/v3/:domain/events/:page', noun, scope, state: 'differs', differences },
    summary: 'Read a page of events',
    handler: showEvents,
  },
]

/** Names of the filters, in the query and in a page. */
const FILTERS = ['event', 'severity', 'recipient', 'tags', 'message-id', 'subject', 'from', 'to'] as const
const QUERY = new FieldNames(...FILTERS, 'begin', 'end', 'ascending', 'limit', 'page')

const LIMIT = { usual: 100, most: 300 }
/** Time for which one request reads further pages to find events that match its filters, in milliseconds. */
const MAX_READ_MS = 3_000

/** Place in a list, which the URL of a page contains, so that a client may leave the query out. */
interface Page {
  readonly filters: Readonly<Record<string, string>>
  /** Begin and end, in milliseconds since the epoch. */
  readonly after?: number | undefined
  readonly before?: number | undefined
  readonly isAscending: boolean
  readonly limit: number
  /** Cursor of the list; undefined for the first page, and `end` after the last page of a list without new events. */
  readonly cursor?: string | undefined
}

async function showEvents(translation: Translation): Promise<object> {
  const sender = await enterDomain(translation)
  const token = translation.param('page')
  const page = token === '' ? firstPage(translation) : openPage(token)
  translation.check()
  const filter = filterOf(page)
  const { events, next } = await read(translation, sender.domainId, page, filter)
  const base = `${baseUrlOf(translation.request)}/v3/${sender.domainName}`
  const urlOf = (cursor: string | undefined): string => `${base}/events/${sealPage({ ...page, cursor })}`
  return {
    items: events.map((event) => itemOf(event, base)),
    paging: {
      next: urlOf(next),
      previous: urlOf(undefined),
      first: urlOf(undefined),
      last: urlOf(page.isAscending ? next : END),
    },
  }
}

const END = 'end'

/** Reads the query of a first page. Problems are noted in the translation. */
function firstPage(translation: Translation): Page {
  const { reading } = translation
  const fields = translation.query(QUERY)
  const time = (name: 'begin' | 'end'): number | undefined => {
    const text = fields.text(name)
    if (text === undefined) return undefined
    const at = readMailgunTime(text)
    if (at === undefined)
      reading.wrong(name, 'invalid_time', 'Give seconds since the epoch or an RFC 2822 date.')
    return at
  }
  const filters = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const text = fields.text(name)
      return text === undefined ? [] : [[name, text.slice(0, 2_000)] as const]
    }),
  )
  const begin = time('begin')
  const end = time('end')
  const isAscending = fields.flag('ascending') ?? (begin !== undefined && (end ?? Number.MAX_VALUE) >= begin)
  const times = [begin, end].filter((at) => at !== undefined)
  // A descending list begins at the later time.
  const [after, before] =
    times.length === 2 ? [Math.min(...times), Math.max(...times)] : isAscending ? [begin, end] : [end, begin]
  return {
    filters,
    ...{ after, before, isAscending },
    limit: Math.min(Math.max(fields.integer('limit') ?? LIMIT.usual, 1), LIMIT.most),
  }
}

const sealPage = (page: Page): string => Buffer.from(JSON.stringify(page)).toString('base64url')

/** Opens a page from a URL. Throws `malformed_request` for a text that is no page. */
function openPage(token: string): Page {
  try {
    const page = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Page
    if (isPage(page)) return page
  } catch {
    // A text that is no JSON is no page.
  }
  throw wrongCursor()
}

const isPage = ({ filters, after, before, isAscending, limit, cursor }: Page): boolean =>
  typeof filters === 'object' &&
  filters !== null &&
  Object.entries(filters).every(
    ([name, value]) => FILTERS.some((one) => one === name) && typeof value === 'string',
  ) &&
  [after, before].every((at) => at === undefined || Number.isSafeInteger(at)) &&
  typeof isAscending === 'boolean' &&
  Number.isSafeInteger(limit) &&
  limit >= 1 &&
  limit <= LIMIT.most &&
  (cursor === undefined || (typeof cursor === 'string' && cursor.length <= 100))

/** Conditions of a page: those that the store knows, and those that are checked here. */
interface Filter {
  readonly stored: EventFilter
  readonly matches: (event: PublishedEvent) => boolean
}

/** Returns the conditions of a page. Throws `validation_failed` for a filter that is no expression. */
function filterOf({ filters, after, before }: Page): Filter {
  const expressions = Object.entries(filters).map(([name, text]) => {
    const matches = readExpression(text)
    if (matches !== undefined) return [name, matches] as const
    const message = 'Give words with OR, AND and NOT, such as delivered OR opened.'
    throw invalidFields([{ path: name, code: 'invalid_expression', message }])
  })
  const all = new Map<string, Matches>(expressions)
  const isWanted = (type: EventType): boolean => {
    const { name, severity } = mailgunType(type)
    const ofEvent = all.get('event')?.([name ?? '']) ?? true
    return name !== undefined && ofEvent && (all.get('severity')?.([severity ?? '']) ?? true)
  }
  const address = parseAddress(filters.recipient ?? '')
  const tag = requiredValue(filters.tags ?? '')
  const own = /^<?([0-9A-HJKMNP-TV-Z]{26})@/.exec(filters['message-id'] ?? '')?.[1]
  return {
    stored: {
      types: new Set(EVENT_TYPES.filter(isWanted)),
      ...(isAddress(address) ? { email: address.email } : {}),
      ...(tag === undefined ? {} : { tag }),
      ...{ after, before },
    },
    matches: (event) =>
      [...all].every(([name, matches]) => isChecked(name) || matches(valuesOf(event, name))) &&
      (own === undefined || isOf(event, own)),
  }
}

/** True for a filter whose condition the types of the store's filter express. */
const isChecked = (name: string): boolean => name === 'event' || name === 'severity'

/** True for an event of the message, or of the bulk, whose Message-ID begins with the ID. */
const isOf = ({ messageId, messageIdHeader }: PublishedEvent, id: string): boolean =>
  messageId.endsWith(id) || messageIdHeader?.startsWith(`${id}@`) === true

/** Returns the values of an event that a filter compares. */
function valuesOf(event: PublishedEvent, name: string): readonly string[] {
  switch (name) {
    case 'recipient':
    case 'to':
      return [event.email]
    case 'tags':
      return event.tags
    case 'message-id':
      return [event.messageIdHeader ?? '', `<${event.messageIdHeader ?? ''}>`]
    case 'subject':
      return [event.subject]
    default:
      return [event.from ?? '']
  }
}

/** Reads events from the store until some match, or the list ends, or enough events were read. */
async function read(
  { services }: Translation,
  domainId: string,
  { isAscending, limit, cursor: from }: Page,
  { stored, matches }: Filter,
): Promise<{ readonly events: readonly PublishedEvent[]; readonly next: string }> {
  if (stored.types?.size === 0) return { events: [], next: from ?? END }
  const until = performance.now() + MAX_READ_MS
  let cursor = from
  while (cursor !== END) {
    const page = { limit, cursor }
    const { events, next }: Awaited<ReturnType<typeof follow>> = isAscending
      ? await follow(services.read, [domainId], stored, page)
      : await list(services.read, [domainId], stored, page)
    const isEnd = next === null || (isAscending && events.length === 0 && next === cursor)
    const matching = events.filter(matches)
    const rest = next ?? END
    if (matching.length > 0 || isEnd || performance.now() > until) return { events: matching, next: rest }
    cursor = rest
  }
  return { events: [], next: END }
}

/** Returns an event with the address at which its message is stored. */
const itemOf = (event: PublishedEvent, base: string): object => ({
  ...mailgunEvent(event),
  ...(isId('msg', event.messageId)
    ? {
        storage: {
          key: event.messageId,
          url: `${base.replace(/\/v3\/([^/]+)$/, '/v3/domains/$1')}/messages/${event.messageId}`,
        },
      }
    : {}),
})
