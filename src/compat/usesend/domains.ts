// useSend's calls about domains.

import { callerOf } from '../../api/caller.ts'
import type { DomainRecordView, DomainSummary, DomainView } from '../../api/contract/domain.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { findObject, numberOf } from '../numbers.ts'
import { rowsOf } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'

const noun = 'Domains'
const path = '/api/v1/domains'

export const domainCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path, noun, scope: 'domains:read', summary: 'List domains', state: 'served' },
    handler: listDomains,
  },
  {
    ...{ method: 'POST', path, noun, scope: 'domains:write', summary: 'Add a domain' },
    ...{ state: 'differs', differences: '`region` has no effect.' },
    async handler(translation) {
      const fields = translation.body(new FieldNames('name', 'region'))
      if (fields.has('region')) translation.reading.ignore('region')
      const name = fields.text('name')
      if (name === undefined) translation.reading.wrong('name', 'required', 'Give the name of the domain.')
      const { body } = await translation.v1<DomainView>('domains.create', { body: { domain: name } })
      return shown(translation, body)
    },
  },
  {
    ...{ method: 'GET', path: `${path}/:id`, noun, scope: 'domains:read', summary: 'Show a domain' },
    state: 'served',
    async handler(translation) {
      const { domain } = await find(translation)
      return shown(
        translation,
        (await translation.v1<DomainView>('domains.get', { params: { domain } })).body,
      )
    },
  },
  {
    ...{ method: 'PUT', path: `${path}/:id/verify`, noun, scope: 'domains:verify' },
    ...{ summary: 'Look up the DNS records of a domain', state: 'served' },
    async handler(translation) {
      const { domain } = await find(translation)
      await translation.v1('domains.verify', { params: { domain } })
      return { message: 'Domain verification started' }
    },
  },
  {
    ...{ method: 'DELETE', path: `${path}/:id`, noun, scope: 'domains:write', summary: 'Delete a domain' },
    state: 'served',
    async handler(translation) {
      const { domain, number } = await find(translation)
      const { body } = await translation.v1<DomainView>('domains.get', { params: { domain } })
      await translation.v1('domains.delete', { params: { domain }, query: { confirm: body.domain } })
      translation.reply.code(200)
      return { id: number, success: true, message: 'Domain deleted successfully' }
    },
  },
]

async function find(translation: Translation): Promise<{ readonly domain: string; readonly number: number }> {
  const text = translation.param('id')
  const { services, request } = translation
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  const domain = Number.isNaN(number)
    ? undefined
    : await findObject(services, callerOf(request), 'domain', number)
  if (domain === undefined) throw new Problem('not_found', 'Domain not found')
  return { domain, number }
}

async function listDomains(translation: Translation): Promise<object[]> {
  const all: object[] = []
  for await (const { domain_id: domain } of rowsOf<DomainSummary>(translation, 'domains.list')) {
    const { body } = await translation.v1<DomainView>('domains.get', { params: { domain } })
    all.push(await shown(translation, body))
  }
  return all
}

const STATUSES = { pending: 'PENDING', verified: 'SUCCESS', paused: 'FAILED' } as const

async function shown({ services, request }: Translation, domain: DomainView): Promise<object> {
  const id = await numberOf(services, callerOf(request), 'domain', domain.domain_id)
  const status = STATUSES[domain.status]
  const dkim = domain.records.find(({ purpose }) => purpose === 'dkim_rsa')
  return {
    ...{ id, name: domain.domain, teamId: 0, status, region: 'self-hosted' },
    ...{ clickTracking: domain.track_links, openTracking: domain.track_opens, publicKey: dkim?.value ?? '' },
    ...{ dkimStatus: dkim?.status === 'found' ? 'SUCCESS' : 'PENDING', spfDetails: null },
    ...{ createdAt: domain.created_at, updatedAt: domain.checked_at ?? domain.created_at },
    dmarcAdded: domain.records.some(({ purpose, status: found }) => purpose === 'dmarc' && found === 'found'),
    ...{ isVerifying: false, errorMessage: null, subdomain: null, verificationError: null },
    lastCheckedTime: domain.checked_at,
    dnsRecords: domain.records.map(recordOf),
  }
}

const recordOf = ({ type, host, value, status, required }: DomainRecordView): object => ({
  ...{ type, name: host, value, ttl: 'Auto', priority: null },
  status: status === 'found' ? 'SUCCESS' : 'PENDING',
  recommended: !required,
})
