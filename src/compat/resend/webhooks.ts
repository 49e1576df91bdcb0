// Webhooks in the form of Resend, whose payloads have the format `resend`.

import type { Static } from 'typebox'
import type { WebhookCreated, WebhookList, WebhookView } from '../../api/contract/webhook.ts'
import { idOfUuid, uuidOfId } from '../../lib/ids.ts'
import type { EventType } from '../../model/event.ts'
import { RESEND_EVENTS } from '../../webhooks/formats/resend.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { pageOf } from './pages.ts'

type View = Static<typeof WebhookView>

const WEBHOOK = new FieldNames('endpoint', 'events', 'status')

const noun = 'Webhooks'

/** Our event types by the names of Resend. */
const TYPES: ReadonlyMap<string, EventType> = new Map(
  Object.entries(RESEND_EVENTS).map(([type, name]) => [name, type as EventType]),
)
/** Events of objects that an installation does not have, or does not report to webhooks of a domain. */
const OTHER_OBJECTS = /^(?:contact|domain|suppression)\./

/**
 * Returns the selected event types. Events of other objects are ignored as long as another event is selected, because
 * no other event would ever be sent.
 */
function typesIn(reading: Reading, fields: Fields): readonly EventType[] | undefined {
  if (!fields.has('events')) return undefined
  const names = fields.list('events').map(String)
  const types = names.flatMap((name) => TYPES.get(name) ?? [])
  for (const [index, name] of names.entries()) {
    const path = `events[${index}]`
    if (TYPES.has(name)) continue
    if (types.length > 0 && OTHER_OBJECTS.test(name)) reading.ignore(path)
    else reading.wrong(path, 'invalid_value', `There is no event ${name.slice(0, 50)} here.`)
  }
  return types
}

const entryOf = (webhook: View): object => ({
  id: uuidOfId(webhook.webhook_id),
  endpoint: webhook.url,
  created_at: webhook.created_at,
  status: webhook.enabled ? 'enabled' : 'disabled',
  events: webhook.event_types.flatMap((type) => RESEND_EVENTS[type] ?? []),
})

const webhookParam = (translation: Translation): { readonly webhook_id: string } => {
  const id = translation.param('id')
  return { webhook_id: idOfUuid('whk', id) ?? id }
}

const idOnly = ({ webhook_id }: Pick<View, 'webhook_id'>): object => ({
  object: 'webhook',
  id: uuidOfId(webhook_id),
})

export const webhookCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/webhooks',
    noun,
    summary: 'Create a webhook',
    scope: 'webhooks:write',
    state: 'differs',
    differences:
      'The webhook belongs to the domain of the key. Events of contacts, domains and suppressions are ignored.',
    async handler(translation) {
      const fields = translation.body(WEBHOOK)
      const types = typesIn(translation.reading, fields)
      const url = fields.text('endpoint')
      if (url === undefined)
        translation.reading.wrong('endpoint', 'required', 'Give the URL of the receiver.')
      const { body } = await translation.v1<Static<typeof WebhookCreated>>('webhooks.create', {
        body: { url, format: 'resend', ...(types === undefined ? {} : { event_types: types }) },
      })
      translation.reply.code(201)
      return { ...idOnly(body), signing_secret: body.secret }
    },
  },
  {
    method: 'GET',
    path: '/webhooks',
    noun,
    summary: 'List webhooks',
    scope: 'webhooks:read',
    state: 'served',
    handler: (translation) =>
      pageOf<Static<typeof WebhookList>['data'][number]>(translation, {
        operation: 'webhooks.list',
        prefix: 'whk',
        idOf: ({ webhook_id }) => webhook_id,
        view: entryOf,
      }),
  },
  {
    method: 'GET',
    path: '/webhooks/:id',
    noun,
    summary: 'Retrieve a webhook',
    scope: 'webhooks:read',
    state: 'differs',
    differences: 'The signing secret is shown only when the webhook is created or its secret is rotated.',
    async handler(translation) {
      const { body } = await translation.v1<View>('webhooks.get', { params: webhookParam(translation) })
      return { object: 'webhook', ...entryOf(body), signing_secret: null }
    },
  },
  {
    method: 'PATCH',
    path: '/webhooks/:id',
    noun,
    summary: 'Change a webhook',
    scope: 'webhooks:write',
    state: 'served',
    async handler(translation) {
      const fields = translation.body(WEBHOOK)
      const types = typesIn(translation.reading, fields)
      const url = fields.text('endpoint')
      const status = fields.word('status', ['enabled', 'disabled'])
      const { body } = await translation.v1<View>('webhooks.update', {
        params: webhookParam(translation),
        body: {
          ...(url === undefined ? {} : { url }),
          ...(types === undefined ? {} : { event_types: types }),
          ...(status === undefined ? {} : { enabled: status === 'enabled' }),
        },
      })
      return idOnly(body)
    },
  },
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    noun,
    summary: 'Delete a webhook',
    scope: 'webhooks:write',
    state: 'served',
    async handler(translation) {
      const params = webhookParam(translation)
      await translation.v1('webhooks.delete', { params })
      return { object: 'webhook', id: translation.param('id'), deleted: true }
    },
  },
  {
    method: 'POST',
    path: '/webhooks/:id/signing-secret/rotate',
    noun,
    summary: 'Rotate the signing secret of a webhook',
    scope: 'webhooks:write',
    state: 'served',
    async handler(translation) {
      const { body } = await translation.v1<Static<typeof WebhookCreated>>('webhooks.rotateSecret', {
        params: webhookParam(translation),
        body: {},
      })
      return { ...idOnly(body), signing_secret: body.secret }
    },
  },
]
