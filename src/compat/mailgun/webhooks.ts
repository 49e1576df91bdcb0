// Mailgun's webhooks: for each kind of event up to three URLs. A webhook of the service has one URL and several types
// of events, so the URLs of all kinds are gathered from the webhooks in Mailgun's format.

import type { EventType } from '../../model/event.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { rowsOf, rowsWhere } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { enterDomain, objectOf } from './domain.ts'

/** Types of events for each kind of webhook. */
const KINDS: Readonly<Record<string, readonly EventType[]>> = {
  accepted: ['accepted'],
  delivered: ['delivered'],
  opened: ['opened'],
  clicked: ['clicked'],
  unsubscribed: ['unsubscribed'],
  complained: ['complained'],
  permanent_fail: ['bounced', 'failed', 'suppressed'],
  temporary_fail: ['deferred'],
}
/** Maximum number of URLs of one kind. */
const MAX_URLS = 3

/** A webhook, as `GET /v1/webhooks` shows it. */
interface Webhook {
  readonly webhook_id: string
  readonly url: string
  readonly format: string
  readonly event_types: readonly EventType[]
}

const noun = 'Webhooks'
const FORM = { kinds: ['fields'], maxBytes: 65_536 } as const
const path = '/v3/domains/:domain/webhooks'
const reads = { noun, scope: 'webhooks:read' } as const
const writes = { noun, scope: 'webhooks:write' } as const
const secrets =
  'Each webhook has a signing key of its own, which is shown when the webhook is made in the dashboard or at `/v1/webhooks`; rotate the key there to see a new one.'

export const webhookCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path, ...reads, summary: 'List webhooks', state: 'served' },
    async handler(translation) {
      const all = await find(translation)
      const kinds = Object.keys(KINDS).flatMap((kind) => {
        const urls = urlsOf(all, kind)
        return urls.length === 0 ? [] : [[kind, { urls }] as const]
      })
      return { webhooks: Object.fromEntries(kinds) }
    },
  },
  {
    ...{ method: 'POST', path, ...writes, body: FORM, summary: 'Add the URLs of a kind' },
    ...{ state: 'differs', differences: secrets },
    async handler(translation) {
      const fields = translation.reading.fields(objectOf(translation), FIELDS)
      const kind = fields.text('id') ?? ''
      requireKind(kind)
      const all = await find(translation)
      if (urlsOf(all, kind).length > 0) throw new Problem('limit_reached', 'Webhook already exists')
      await set(translation, all, kind, fields.list('url').map(String))
      return answer('Webhook has been created', fields.list('url').map(String))
    },
  },
  {
    ...{
      method: 'GET',
      path: `${path}/:kind`,
      ...reads,
      summary: 'Show the URLs of a kind',
      state: 'served',
    },
    async handler(translation) {
      const urls = urlsOf(await find(translation), translation.param('kind'))
      if (urls.length === 0) throw absent()
      return { webhook: { url: urls[0], urls } }
    },
  },
  {
    ...{ method: 'PUT', path: `${path}/:kind`, ...writes, body: FORM, summary: 'Replace the URLs of a kind' },
    ...{ state: 'differs', differences: secrets },
    async handler(translation) {
      const kind = translation.param('kind')
      requireKind(kind)
      const all = await find(translation)
      if (urlsOf(all, kind).length === 0) throw absent()
      const urls = translation.reading.fields(objectOf(translation), FIELDS).list('url').map(String)
      await set(translation, all, kind, urls)
      return answer('Webhook has been updated', urls)
    },
  },
  {
    ...{
      method: 'DELETE',
      path: `${path}/:kind`,
      ...writes,
      summary: 'Remove the URLs of a kind',
      state: 'served',
    },
    async handler(translation) {
      const kind = translation.param('kind')
      const all = await find(translation)
      const urls = urlsOf(all, kind)
      if (urls.length === 0) throw absent()
      await set(translation, all, kind, [])
      return answer('Webhook has been deleted', urls)
    },
  },
  {
    ...{ method: 'PUT', path: `${path}/:kind/test`, ...writes, body: FORM, summary: 'Test a URL' },
    ...{ state: 'refused', differences: 'Use `POST /v1/webhooks/{webhook_id}/test`.' },
  },
]

const FIELDS = new FieldNames('id', 'url')

const absent = (): Problem => new Problem('not_found', 'Webhook not found')

const answer = (message: string, urls: readonly string[]): object => ({
  message,
  webhook: { url: urls[0], urls },
})

function requireKind(kind: string): void {
  if (Object.hasOwn(KINDS, kind)) return
  throw new Problem('limit_reached', `id: The kinds of webhooks are ${Object.keys(KINDS).join(', ')}.`)
}

/** Returns the webhooks of the domain in Mailgun's format. */
async function find(translation: Translation): Promise<readonly Webhook[]> {
  await enterDomain(translation)
  const all = rowsWhere(rowsOf<Webhook>(translation, 'webhooks.list'), ({ format }) => format === 'mailgun')
  return Array.fromAsync(all)
}

const isOf = ({ event_types }: Webhook, kind: string): boolean => {
  const types = Object.hasOwn(KINDS, kind) ? (KINDS[kind] as readonly EventType[]) : []
  return types.length > 0 && (event_types.length === 0 || types.every((type) => event_types.includes(type)))
}

const urlsOf = (all: readonly Webhook[], kind: string): string[] =>
  all.filter((one) => isOf(one, kind)).map(({ url }) => url)

/** Sets the URLs of a kind; a webhook without a kind is removed. */
async function set(
  translation: Translation,
  all: readonly Webhook[],
  kind: string,
  wanted: readonly string[],
): Promise<void> {
  const { reading } = translation
  if (wanted.length > MAX_URLS) reading.wrong('url', 'too_many', `A kind has at most ${MAX_URLS} URLs.`)
  translation.check()
  const types = KINDS[kind] as readonly EventType[]
  for (const webhook of all) {
    const has = isOf(webhook, kind)
    if (wanted.includes(webhook.url) === has) continue
    const others = typesOf(webhook).filter((type) => !types.includes(type))
    const event_types = has ? others : [...others, ...types]
    const params = { webhook_id: webhook.webhook_id }
    if (event_types.length === 0) await translation.v1('webhooks.delete', { params })
    else await translation.v1('webhooks.update', { params, body: { event_types } })
  }
  const known = new Set(all.map(({ url }) => url))
  for (const url of wanted.filter((one) => !known.has(one))) {
    await translation.v1('webhooks.create', { body: { url, format: 'mailgun', event_types: types } })
  }
}

/** Returns the types of a webhook; an empty list stands for all types. */
const typesOf = ({ event_types }: Webhook): readonly EventType[] =>
  event_types.length === 0 ? Object.values(KINDS).flat() : event_types
