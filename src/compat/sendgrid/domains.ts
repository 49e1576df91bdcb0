// Domains in the form of SendGrid.

import { callerOf } from '../../api/caller.ts'
import type {
  DomainListView,
  DomainRecordView,
  DomainSummary,
  DomainView,
} from '../../api/contract/domain.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { findObject, numbersOf } from '../numbers.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'

const noun = 'Domains'
const DOMAIN = new FieldNames(
  ...['domain', 'subdomain', 'username', 'ips', 'custom_spf', 'default', 'automatic_security', 'region'],
  'custom_dkim_selector',
)

/** SendGrid's names of our records. */
const RECORDS: readonly (readonly [name: string, purpose: DomainRecordView['purpose']])[] = [
  ['mail_cname', 'return_path'],
  ['dkim1', 'dkim_rsa'],
  ['dkim2', 'dkim_ed25519'],
]

const numbers = (translation: Translation, ids: readonly string[]): Promise<ReadonlyMap<string, number>> =>
  numbersOf(translation.services, callerOf(translation.request), 'domain', ids)

const records = (domain: DomainView): readonly (readonly [string, DomainRecordView])[] =>
  RECORDS.flatMap(([name, purpose]) => {
    const record = domain.records.find((one) => one.purpose === purpose)
    return record === undefined ? [] : [[name, record] as const]
  })

function viewOf(domain: DomainView, id: number): object {
  const dns = records(domain).map(([name, { status, type, name: host, value }]) => [
    name,
    { valid: status === 'found', type: type.toLowerCase(), host, data: value },
  ])
  return { ...summaryOf(domain, id), dns: Object.fromEntries(dns) }
}

const summaryOf = ({ domain, status }: DomainSummary, id: number) => ({
  id,
  user_id: 0,
  subdomain: '',
  domain,
  username: '',
  ips: [],
  custom_spf: false,
  default: false,
  legacy: false,
  automatic_security: false,
  valid: status === 'verified',
})

/** Returns the domain in the path. Throws `not_found`. */
async function find(translation: Translation): Promise<readonly [DomainView, number]> {
  const { services, request } = translation
  const number = Number(translation.param('id'))
  const id = Number.isSafeInteger(number)
    ? await findObject(services, callerOf(request), 'domain', number)
    : undefined
  if (id === undefined) throw new Problem('not_found', 'There is no domain with this ID.')
  return [(await translation.v1<DomainView>('domains.get', { params: { domain: id } })).body, number]
}

export const domainCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/v3/whitelabel/domains',
    noun,
    summary: 'Add a domain',
    scope: 'domains:write',
    state: 'differs',
    differences:
      'The DNS records are those of this installation: the CNAME of the return path and two DKIM keys.',
    async handler(translation) {
      const { reading } = translation
      const fields = translation.body(DOMAIN)
      for (const name of ['subdomain', 'ips', 'custom_spf', 'default', 'automatic_security', 'region']) {
        if (fields.has(name)) reading.ignore(name)
      }
      if (fields.has('username')) reading.refuse('username', 'There are no subusers.')
      const domain = fields.text('domain')
      if (domain === undefined) reading.wrong('domain', 'required', 'Give the name of the domain.')
      const selector = fields.text('custom_dkim_selector')
      const { body } = await translation.v1<DomainView>('domains.create', {
        body: { domain, ...(selector === undefined ? {} : { dkim: { selector } }) },
      })
      translation.reply.code(201)
      return viewOf(body, (await numbers(translation, [body.domain_id])).get(body.domain_id) as number)
    },
  },
  {
    method: 'GET',
    path: '/v3/whitelabel/domains',
    noun,
    summary: 'List domains',
    scope: 'domains:read',
    state: 'differs',
    differences: 'Up to 200 domains, without their DNS records.',
    async handler(translation) {
      const query = translation.query(
        new FieldNames('domain', 'limit', 'offset', 'exclude_subusers', 'username'),
      )
      const name = query.text('domain')
      const { body } = await translation.v1<DomainListView>('domains.list', {
        query: { limit: 200, ...(name === undefined ? {} : { name }) },
      })
      const ids = await numbers(
        translation,
        body.data.map(({ domain_id }) => domain_id),
      )
      const offset = query.integer('offset') ?? 0
      return body.data
        .slice(offset, offset + (query.integer('limit') ?? 200))
        .map((one) => ({ ...summaryOf(one, ids.get(one.domain_id) as number), dns: {} }))
    },
  },
  {
    method: 'GET',
    path: '/v3/whitelabel/domains/:id',
    noun,
    summary: 'Retrieve a domain',
    scope: 'domains:read',
    state: 'served',
    handler: async (translation) => viewOf(...(await find(translation))),
  },
  {
    method: 'PATCH',
    path: '/v3/whitelabel/domains/:id',
    noun,
    summary: 'Change a domain',
    scope: 'domains:write',
    state: 'differs',
    differences: '`default` and `custom_spf` are ignored.',
    async handler(translation) {
      const fields = translation.body(DOMAIN)
      for (const name of ['default', 'custom_spf']) if (fields.has(name)) translation.reading.ignore(name)
      return viewOf(...(await find(translation)))
    },
  },
  {
    method: 'DELETE',
    path: '/v3/whitelabel/domains/:id',
    noun,
    summary: 'Delete a domain',
    scope: 'domains:write',
    state: 'served',
    async handler(translation) {
      const [{ domain_id, domain }] = await find(translation)
      await translation.v1('domains.delete', { params: { domain: domain_id }, query: { confirm: domain } })
      translation.reply.code(204)
      return ''
    },
  },
  {
    method: 'POST',
    path: '/v3/whitelabel/domains/:id/validate',
    noun,
    summary: 'Look up the records of a domain',
    scope: 'domains:verify',
    state: 'served',
    async handler(translation) {
      const [{ domain_id: domain }, id] = await find(translation)
      const { body } = await translation.v1<DomainView>('domains.verify', { params: { domain } })
      const results = records(body).map(([name, { status, advice }]) => {
        const valid = status === 'found'
        return [name, { valid, reason: valid ? null : advice }]
      })
      return { id, valid: body.status === 'verified', validation_results: Object.fromEntries(results) }
    },
  },
]
