// Erasing addresses in the form of SendGrid, and the calls of SendGrid that an installation does not serve.

import { newId } from '../../lib/ids.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'

/** Maximum number of addresses of one erasure. */
const MAX_ERASED = 100

const eraseCall: VendorCall = {
  method: 'POST',
  path: '/v3/recipients/erasejob',
  noun: 'Erasure',
  summary: 'Erase the data about addresses',
  scope: 'erasures:write',
  state: 'differs',
  differences: `Erases at once, in the domain of the key; up to ${MAX_ERASED} addresses in a request.`,
  async handler(translation) {
    const { reading, services } = translation
    const emails = translation.body(new FieldNames('email_addresses')).list('email_addresses').map(String)
    if (emails.length === 0 || emails.length > MAX_ERASED) {
      reading.wrong('email_addresses', 'invalid_value', `Give 1 to ${MAX_ERASED} addresses.`)
    }
    translation.check()
    for (const email of emails) await translation.v1('erasures.create', { body: { email } })
    translation.reply.code(202)
    return { job_id: newId('req', services.clock.now()) }
  },
}

/** Returns the refused calls of one kind. */
const refused = (
  noun: string,
  summary: string,
  reason: string,
  places: readonly (readonly [method: VendorCall['method'], path: string])[],
): VendorCall[] =>
  places.map(([method, path]) => ({
    ...{ method, path: `/v3${path}`, noun, summary, differences: reason },
    scope: 'any-credential',
    state: 'refused',
    body: { maxBytes: 'content' },
  }))

const MARKETING = 'Lists of contacts stay in your application; send to many with POST /v1/bulk.'

export const otherCalls: readonly VendorCall[] = [
  eraseCall,
  ...refused('Activity', 'Activity of messages', 'Use GET /v1/messages and GET /v1/events.', [
    ['GET', '/messages'],
    ['GET', '/messages/:msg_id'],
  ]),
  ...refused('Marketing', 'Marketing campaigns', MARKETING, [
    ['GET', '/marketing/contacts'],
    ['PUT', '/marketing/contacts'],
    ['DELETE', '/marketing/contacts'],
    ['GET', '/marketing/lists'],
    ['POST', '/marketing/lists'],
    ['GET', '/marketing/singlesends'],
    ['POST', '/marketing/singlesends'],
    ['POST', '/contactdb/recipients'],
    ['GET', '/contactdb/lists'],
    ['POST', '/contactdb/lists'],
  ]),
  ...refused('Inbound parse', 'Settings of received mail', 'Use inbound streams: POST /v1/streams.', [
    ['GET', '/user/webhooks/parse/settings'],
    ['POST', '/user/webhooks/parse/settings'],
  ]),
  ...refused('IP addresses', 'IP addresses and pools', 'The operator chooses the addresses.', [
    ['GET', '/ips'],
    ['GET', '/ips/pools'],
    ['POST', '/ips/pools'],
  ]),
  ...refused('Subusers', 'Subusers', 'Accounts are created with POST /v1/accounts.', [
    ['GET', '/subusers'],
    ['POST', '/subusers'],
  ]),
  ...refused('Senders', 'Sender identities', 'Every address of a verified domain may send.', [
    ['GET', '/verified_senders'],
    ['POST', '/verified_senders'],
    ['GET', '/senders'],
    ['POST', '/senders'],
  ]),
  ...refused('Link branding', 'Hosts of tracked links', 'The tracking host is a record of the domain.', [
    ['GET', '/whitelabel/links'],
    ['POST', '/whitelabel/links'],
  ]),
]
