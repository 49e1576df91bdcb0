// Event webhooks in the form of SendGrid, whose payloads have the format `sendgrid`.

import type { Static } from 'typebox'
import type { WebhookList, WebhookView } from '../../api/contract/webhook.ts'
import type { EventType } from '../../model/event.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'

type View = Static<typeof WebhookView>

const noun = 'Event webhooks'

/** SendGrid's switches of a webhook, and our event types. */
const SWITCHES: readonly (readonly [name: string, types: readonly EventType[]])[] = [
  ['processed', ['accepted']],
  ['delivered', ['delivered']],
  ['deferred', ['deferred']],
  ['bounce', ['bounced', 'failed']],
  ['dropped', ['suppressed']],
  ['open', ['opened']],
  ['click', ['clicked']],
  ['spam_report', ['complained']],
  ['unsubscribe', ['unsubscribed']],
]
/** Switches of events that do not exist here. */
const OTHERS = ['group_unsubscribe', 'group_resubscribe', 'account_status_change']

const WEBHOOK = new FieldNames(
  ...['enabled', 'url', 'friendly_name', 'oauth_client_id', 'oauth_client_secret', 'oauth_token_url'],
  ...SWITCHES.map(([name]) => name),
  ...OTHERS,
)

/** Number of events in one request, as SendGrid sends many at once. */
const BATCH = 100

const viewOf = (webhook: View): object => ({
  id: webhook.webhook_id,
  enabled: webhook.enabled,
  url: webhook.url,
  friendly_name: webhook.name,
  account_status_change: false,
  group_resubscribe: false,
  group_unsubscribe: false,
  ...Object.fromEntries(
    SWITCHES.map(([name, types]) => [name, types.every((type) => selects(webhook, type))]),
  ),
  oauth_client_id: null,
  oauth_token_url: null,
  public_key: webhook.public_key,
  created_date: webhook.created_at,
  updated_date: webhook.updated_at,
})

const selects = ({ event_types }: View, type: EventType): boolean =>
  event_types.length === 0 || event_types.includes(type)

/** Reads the fields of a webhook; `before` has the switches that stay. */
function readWebhook({ reading }: Translation, fields: Fields, before: View | undefined): object {
  if (fields.has('oauth_client_id') || fields.has('oauth_token_url')) {
    reading.refuse('oauth_client_id', 'OAuth is not available; use the signature, or a user and a password.')
  }
  for (const name of OTHERS) if (fields.flag(name) === true) reading.ignore(name)
  const types = SWITCHES.flatMap(([name, of]) => {
    const isOn = fields.flag(name) ?? (before !== undefined && of.every((type) => selects(before, type)))
    return isOn ? of : []
  })
  if (types.length === 0) reading.wrong('delivered', 'required', 'Switch on at least one event.')
  const [url, name] = [fields.text('url'), fields.text('friendly_name')]
  return {
    ...(url === undefined ? {} : { url }),
    ...(name === undefined ? {} : { name }),
    event_types: types,
  }
}

const webhookParam = (translation: Translation) => ({ webhook_id: translation.param('id') })

async function findAll(translation: Translation): Promise<readonly View[]> {
  const { body } = await translation.v1<Static<typeof WebhookList>>('webhooks.list', {
    query: { limit: 200 },
  })
  return body.data.filter(({ format }) => format === 'sendgrid')
}

const find = async (translation: Translation): Promise<View> =>
  (await translation.v1<View>('webhooks.get', { params: webhookParam(translation) })).body

const path = '/v3/user/webhooks/event/settings'

export const webhookCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path,
    noun,
    summary: 'Create an event webhook',
    scope: 'webhooks:write',
    state: 'differs',
    differences:
      'Every webhook is signed. OAuth is refused; events of groups and of the account do not exist.',
    async handler(translation) {
      const fields = translation.body(WEBHOOK)
      const webhook = readWebhook(translation, fields, undefined)
      if (!fields.has('url')) translation.reading.wrong('url', 'required', 'Give the URL of the receiver.')
      const { body } = await translation.v1<View>('webhooks.create', {
        body: { ...webhook, format: 'sendgrid', batch_size: BATCH },
      })
      translation.reply.code(201)
      if (fields.flag('enabled') !== false) return viewOf(body)
      const params = { webhook_id: body.webhook_id }
      const changed = await translation.v1<View>('webhooks.update', { params, body: { enabled: false } })
      return viewOf(changed.body)
    },
  },
  {
    method: 'GET',
    path: `${path}/all`,
    noun,
    summary: 'List event webhooks',
    scope: 'webhooks:read',
    state: 'served',
    handler: async (translation) => ({ max_allowed: 20, webhooks: (await findAll(translation)).map(viewOf) }),
  },
  {
    method: 'GET',
    path: `${path}/:id`,
    noun,
    summary: 'Retrieve an event webhook',
    scope: 'webhooks:read',
    state: 'served',
    handler: async (translation) => viewOf(await find(translation)),
  },
  {
    method: 'PATCH',
    path: `${path}/:id`,
    noun,
    summary: 'Change an event webhook',
    scope: 'webhooks:write',
    state: 'served',
    async handler(translation) {
      const fields = translation.body(WEBHOOK)
      const changes = readWebhook(translation, fields, await find(translation))
      const enabled = fields.flag('enabled')
      const { body } = await translation.v1<View>('webhooks.update', {
        params: webhookParam(translation),
        body: { ...changes, ...(enabled === undefined ? {} : { enabled }) },
      })
      return viewOf(body)
    },
  },
  {
    method: 'DELETE',
    path: `${path}/:id`,
    noun,
    summary: 'Delete an event webhook',
    scope: 'webhooks:write',
    state: 'served',
    async handler(translation) {
      await translation.v1('webhooks.delete', { params: webhookParam(translation) })
      translation.reply.code(204)
      return ''
    },
  },
  {
    method: 'GET',
    path: `${path}/signed/:id`,
    noun,
    summary: 'Public key of an event webhook',
    scope: 'webhooks:read',
    state: 'served',
    handler: async (translation) => ({ public_key: (await find(translation)).public_key }),
  },
  {
    method: 'PATCH',
    path: `${path}/signed/:id`,
    noun,
    summary: 'Switch the signature of an event webhook on',
    scope: 'webhooks:write',
    state: 'differs',
    differences: 'The signature cannot be switched off.',
    async handler(translation) {
      const { reading } = translation
      if (translation.body(new FieldNames('enabled')).flag('enabled') === false) {
        reading.refuse('enabled', 'Every webhook is signed; a receiver may ignore the signature.')
      }
      return { public_key: (await find(translation)).public_key }
    },
  },
]
