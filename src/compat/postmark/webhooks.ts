// Postmark's webhooks.

import type { Static } from 'typebox'
import type { WebhookView } from '../../api/contract/webhook.ts'
import type { EventType } from '../../model/event.ts'
import { streamId } from '../../webhooks/formats/postmark.ts'
import type { VendorCall } from '../declaration.ts'
import { pageOf, rowsOf, rowsWhere } from '../pages.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING, numberedIn, orMissing, shownNumber, shownNumbers } from './objects.ts'
import { streamAlias } from './streams.ts'

const noun = 'Webhooks'
const DIFFERENCES =
  'Requests carry no headers of your own. `PostFirstOpenOnly` and `IncludeContent` have no effect. The password of `HttpAuth` is never shown again.'
const LIST = new FieldNames('MessageStream')
const WEBHOOK = new FieldNames('Url', 'MessageStream', 'HttpAuth', 'HttpHeaders', 'Triggers', 'ID')
const AUTH = new FieldNames('Username', 'Password')
const TRIGGER = new FieldNames('Enabled', 'PostFirstOpenOnly', 'IncludeContent')
/** Maximum number of webhooks in the list, which is more than a domain may have. */
const ALL = { count: 1_000, offset: 0 }

/** Event types of each trigger. */
const TRIGGERS = {
  Open: ['opened'],
  Click: ['clicked'],
  Delivery: ['delivered'],
  Bounce: ['bounced', 'failed'],
  SpamComplaint: ['complained'],
  SubscriptionChange: ['unsubscribed'],
} as const satisfies Readonly<Record<string, readonly EventType[]>>
type Trigger = keyof typeof TRIGGERS
const NAMES = Object.keys(TRIGGERS) as Trigger[]
const TRIGGER_NAMES = new FieldNames(...NAMES)

type Webhook = Static<typeof WebhookView>

export const webhookCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/webhooks', noun, scope: 'webhooks:read' },
    summary: "List the webhooks with Postmark's payload",
    state: 'differs',
    differences: DIFFERENCES,
    handler: listWebhooks,
  },
  {
    ...{ method: 'GET', path: '/webhooks/:id', noun, scope: 'webhooks:read' },
    summary: 'Read a webhook',
    state: 'differs',
    differences: DIFFERENCES,
    handler: async (translation) => {
      const webhook_id = await idIn(translation)
      const shown = translation.v1<Webhook>('webhooks.get', { params: { webhook_id } })
      return shownWebhook(translation, (await orMissing(MISSING.webhook, shown)).body)
    },
  },
  {
    ...{ method: 'POST', path: '/webhooks', noun, scope: 'webhooks:write' },
    summary: 'Create a webhook',
    state: 'differs',
    differences: DIFFERENCES,
    handler: createWebhook,
  },
  {
    ...{ method: 'PUT', path: '/webhooks/:id', noun, scope: 'webhooks:write' },
    summary: 'Change a webhook',
    state: 'differs',
    differences: DIFFERENCES,
    handler: editWebhook,
  },
  {
    ...{ method: 'DELETE', path: '/webhooks/:id', noun, scope: 'webhooks:write' },
    summary: 'Delete a webhook',
    state: 'served',
    handler: deleteWebhook,
  },
]

const idIn = (translation: Translation): Promise<string> =>
  numberedIn(translation, 'webhook', MISSING.webhook)

async function listWebhooks(translation: Translation): Promise<object> {
  const stream = streamAlias(translation.query(LIST).text('MessageStream'))
  const isWanted = ({ format, streams }: Webhook): boolean =>
    format === 'postmark' && (stream === undefined || streams.length === 0 || streams.includes(stream))
  const { rows } = await pageOf(rowsWhere(rowsOf<Webhook>(translation, 'webhooks.list'), isWanted), ALL)
  const ids = rows.map(({ webhook_id }) => webhook_id)
  const numbers = await shownNumbers(translation, 'webhook', ids)
  return { Webhooks: rows.map((webhook) => viewOf(webhook, numbers.get(webhook.webhook_id) as number)) }
}

const shownWebhook = async (translation: Translation, webhook: Webhook): Promise<object> =>
  viewOf(webhook, await shownNumber(translation, 'webhook', webhook.webhook_id))

async function createWebhook(translation: Translation): Promise<object> {
  const fields = translation.body(WEBHOOK)
  const types = readTriggers(translation, fields, []) ?? []
  if (types.length === 0) {
    translation.reading.wrong('Triggers', 'required', 'Enable at least one trigger.')
  }
  const body = {
    url: fields.text('Url') ?? '',
    ...{ format: 'postmark', event_types: types },
    streams: [streamAlias(fields.text('MessageStream') ?? 'outbound')],
    ...readAuth(translation, fields),
  }
  const { body: webhook } = await translation.v1<Webhook>('webhooks.create', { body })
  return shownWebhook(translation, webhook)
}

async function editWebhook(translation: Translation): Promise<object> {
  const webhook_id = await idIn(translation)
  const fields = translation.body(WEBHOOK)
  const shown = translation.v1<Webhook>('webhooks.get', { params: { webhook_id } })
  const { body: present } = await orMissing(MISSING.webhook, shown)
  const url = fields.text('Url')
  const types = readTriggers(translation, fields, present.enabled ? present.event_types : [])
  const body = {
    ...(url === undefined ? {} : { url }),
    // A webhook without types would get all events, so the last trigger turns the webhook off.
    ...(types === undefined
      ? {}
      : types.length === 0
        ? { enabled: false }
        : { enabled: true, event_types: types }),
    ...readAuth(translation, fields),
  }
  const changed = translation.v1<Webhook>('webhooks.update', { params: { webhook_id }, body })
  return shownWebhook(translation, (await orMissing(MISSING.webhook, changed)).body)
}

async function deleteWebhook(translation: Translation): Promise<object> {
  const webhook_id = await idIn(translation)
  await orMissing(MISSING.webhook, translation.v1('webhooks.delete', { params: { webhook_id } }))
  return { ErrorCode: 0, Message: `Webhook ${translation.param('id')} removed.` }
}

/** Returns the event types of the triggers; a trigger that is not given stays as it is. */
function readTriggers(
  { reading }: Translation,
  fields: Fields,
  present: readonly EventType[],
): EventType[] | undefined {
  const triggers = fields.object('Triggers', TRIGGER_NAMES)
  if (triggers === undefined) return undefined
  return NAMES.flatMap((name) => {
    const trigger = triggers.object(name, TRIGGER)
    const types: readonly EventType[] = TRIGGERS[name]
    for (const option of ['PostFirstOpenOnly', 'IncludeContent'] as const) {
      if (trigger?.flag(option)) reading.ignore(trigger.at(option))
    }
    const isOn = trigger?.flag('Enabled') ?? types.some((type) => present.includes(type))
    return isOn ? types : []
  })
}

function readAuth({ reading }: Translation, fields: Fields): { readonly basic_auth?: object } {
  if (fields.list('HttpHeaders').length > 0) {
    reading.refuse('HttpHeaders', 'Requests of webhooks carry no headers of your own; use HttpAuth.')
  }
  const auth = fields.object('HttpAuth', AUTH)
  if (auth === undefined) return {}
  return { basic_auth: { username: auth.text('Username') ?? '', password: auth.text('Password') ?? '' } }
}

function viewOf(webhook: Webhook, number: number): object {
  const { url, streams, event_types: types, enabled, basic_auth_username: user } = webhook
  const triggers = NAMES.map((name) => {
    const isOn = types.length === 0 || TRIGGERS[name].some((type) => types.includes(type))
    const more =
      name === 'Open'
        ? { PostFirstOpenOnly: false }
        : name === 'Bounce' || name === 'SpamComplaint'
          ? { IncludeContent: false }
          : {}
    return [name, { Enabled: enabled && isOn, ...more }]
  })
  return {
    ID: number,
    Url: url,
    MessageStream: streamId(streams[0] ?? 'transactional'),
    ...(user === null ? {} : { HttpAuth: { Username: user, Password: '' } }),
    HttpHeaders: [],
    Triggers: Object.fromEntries(triggers),
  }
}
