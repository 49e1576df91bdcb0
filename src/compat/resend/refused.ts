// Calls of Resend that an installation does not serve.

import type { VendorCall } from '../declaration.ts'

type Place = readonly [method: VendorCall['method'], path: string]

/** Returns the refused calls of one kind. */
const refused = (noun: string, summary: string, reason: string, places: readonly Place[]): VendorCall[] =>
  places.map(([method, path]) => ({
    ...{ method, path, noun, summary, differences: reason },
    scope: 'any-credential',
    state: 'refused',
    body: { maxBytes: 'content' },
  }))

/** Returns the usual calls for a kind of objects. */
const objects = (path: string): readonly Place[] => [
  ['GET', path],
  ['POST', path],
  ['GET', `${path}/:id`],
  ['PATCH', `${path}/:id`],
  ['DELETE', `${path}/:id`],
]

const BROADCASTS = 'Send to many with POST /v1/bulk, or with a broadcast stream.'
const CONTACTS = 'Contacts stay in your application; broadcast streams keep who has unsubscribed.'

export const refusedCalls: readonly VendorCall[] = [
  ...refused('Emails', 'Share an email', 'Share a message in the dashboard.', [
    ['POST', '/emails/:id/share'],
  ]),
  ...refused('Emails', 'Metrics of emails', 'Use GET /v1/stats.', [['GET', '/emails/metrics']]),
  ...refused('Emails', 'Attachments of a sent email', 'Use GET /v1/messages/{message_id}/raw.', [
    ['GET', '/emails/:id/attachments'],
    ['GET', '/emails/:id/attachments/:attachment_id'],
  ]),
  ...refused('Broadcasts', 'Broadcasts', BROADCASTS, [
    ...objects('/broadcasts'),
    ['POST', '/broadcasts/:id/send'],
    ['POST', '/broadcasts/:id/cancel'],
  ]),
  ...refused('Contacts', 'Contacts', CONTACTS, [
    ...objects('/contacts'),
    ['GET', '/contacts/:id/segments'],
    ['POST', '/contacts/:id/segments/:segment_id'],
    ['DELETE', '/contacts/:id/segments/:segment_id'],
    ['GET', '/contacts/:id/topics'],
    ['PATCH', '/contacts/:id/topics'],
    ['POST', '/contacts/imports'],
    ...objects('/contact-properties'),
    ...objects('/segments'),
    ...objects('/audiences'),
    ['GET', '/audiences/:id/contacts'],
    ['POST', '/audiences/:id/contacts'],
    ['GET', '/audiences/:id/contacts/:contact_id'],
    ['PATCH', '/audiences/:id/contacts/:contact_id'],
    ['DELETE', '/audiences/:id/contacts/:contact_id'],
    ...objects('/topics'),
  ]),
  ...refused('Automations', 'Automations and their events', 'Automations stay in your application.', [
    ...objects('/automations'),
    ...objects('/events'),
    ['POST', '/events/send'],
  ]),
  ...refused('Logs', 'Log of requests', 'Use GET /v1/requests.', [
    ['GET', '/logs'],
    ['GET', '/logs/:id'],
  ]),
  ...refused('Webhooks', 'Deliveries of a webhook', 'Use GET /v1/webhooks/{webhook_id}/deliveries.', [
    ['GET', '/webhooks/:id/events'],
    ['POST', '/webhooks/:id/events/:event_id/replay'],
  ]),
  ...refused('Domains', 'Claims of domains', 'POST /domains returns the record of a claim with the others.', [
    ['POST', '/domains/claims'],
    ['GET', '/domains/:id/claim'],
  ]),
]
