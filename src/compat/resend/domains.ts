// Domains in the form of Resend.

import type {
  DomainListView,
  DomainRecordView,
  DomainSummary,
  DomainView,
} from '../../api/contract/domain.ts'
import { idOfUuid, uuidOfId } from '../../lib/ids.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { pageOf } from './pages.ts'

const NEW_DOMAIN = new FieldNames(
  ...['name', 'region', 'custom_return_path', 'open_tracking', 'click_tracking', 'tls', 'capabilities'],
  'tracking_subdomain',
)

const noun = 'Domains'

/** Resend's names of our kinds of records; records of other purposes are not shown. */
const RECORDS: Readonly<Partial<Record<DomainRecordView['purpose'], string>>> = {
  dkim_rsa: 'DKIM',
  dkim_ed25519: 'DKIM',
  return_path: 'SPF',
  tracking: 'Tracking',
  inbound_mx: 'Receiving',
  claim: 'DKIM',
}

const RECORD_STATUS: Readonly<Record<DomainRecordView['status'], string>> = {
  pending: 'not_started',
  found: 'verified',
  mismatch: 'failed',
  missing: 'pending',
}

/** Region that clients expect; an installation has no regions. */
const REGION = 'us-east-1'

function statusOf({ status, checked_at, flagged_at }: DomainSummary): string {
  if (status === 'verified') return flagged_at === null ? 'verified' : 'partially_failed'
  if (status === 'paused') return 'failed'
  return checked_at === null ? 'not_started' : 'pending'
}

const summaryOf = (domain: DomainSummary) => ({
  id: uuidOfId(domain.domain_id),
  name: domain.domain,
  status: statusOf(domain),
  created_at: domain.created_at,
  region: REGION,
  capabilities: { sending: 'enabled', receiving: 'enabled' },
})

const recordOf = (record: DomainRecordView): readonly object[] => {
  const kind = RECORDS[record.purpose]
  if (kind === undefined) return []
  const [, priority, host] = (record.type === 'MX' && /^(\d+) +(.+)$/.exec(record.value)) || []
  return [
    {
      record: kind,
      name: record.host,
      type: record.type,
      ttl: 'Auto',
      status: RECORD_STATUS[record.status],
      value: host ?? record.value,
      ...(priority === undefined ? {} : { priority: Number(priority) }),
    },
  ]
}

const domainView = (domain: DomainView): object => ({
  object: 'domain',
  ...summaryOf(domain),
  open_tracking: domain.track_opens,
  click_tracking: domain.track_links,
  tls: 'opportunistic',
  records: [...domain.records, ...(domain.claim === undefined ? [] : [domain.claim.record])].flatMap(
    recordOf,
  ),
})

/** Returns the domain that a path names by its ID. */
const domainParam = (translation: Translation): { readonly domain: string } => {
  const id = translation.param('id')
  return { domain: idOfUuid('dom', id) ?? id }
}

/** Reads the settings of a domain that we have; refuses those that change the meaning of the request. */
function settingsIn(reading: Reading, fields: Fields): object {
  for (const name of ['region', 'custom_return_path', 'capabilities', 'tracking_subdomain']) {
    if (fields.has(name)) reading.ignore(name)
  }
  if (fields.word('tls', ['opportunistic', 'enforced']) === 'enforced') {
    reading.refuse(
      'tls',
      'Enforced TLS is a choice of each message (require_tls) or of a route, not of a domain.',
    )
  }
  const opens = fields.flag('open_tracking')
  const links = fields.flag('click_tracking')
  return {
    ...(opens === undefined ? {} : { track_opens: opens }),
    ...(links === undefined ? {} : { track_links: links }),
  }
}

export const domainCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/domains',
    noun,
    summary: 'Add a domain',
    scope: 'domains:write',
    state: 'differs',
    differences:
      'The DNS records are those of this installation; region, return path, capabilities and tracking subdomain are ignored.',
    async handler(translation) {
      const fields = translation.body(NEW_DOMAIN)
      const settings = settingsIn(translation.reading, fields)
      const name = fields.text('name')
      if (name === undefined) translation.reading.wrong('name', 'required', 'Give the name of the domain.')
      const { body } = await translation.v1<DomainView>('domains.create', {
        body: { domain: name, ...settings },
      })
      translation.reply.code(201)
      return domainView(body)
    },
  },
  {
    method: 'GET',
    path: '/domains',
    noun,
    summary: 'List domains',
    scope: 'domains:read',
    state: 'served',
    handler: (translation) =>
      pageOf<DomainListView['data'][number]>(translation, {
        operation: 'domains.list',
        prefix: 'dom',
        isShort: true,
        idOf: ({ domain_id }) => domain_id,
        view: summaryOf,
      }),
  },
  {
    method: 'GET',
    path: '/domains/:id',
    noun,
    summary: 'Retrieve a domain',
    scope: 'domains:read',
    state: 'served',
    async handler(translation) {
      const { body } = await translation.v1<DomainView>('domains.get', { params: domainParam(translation) })
      return domainView(body)
    },
  },
  {
    method: 'PATCH',
    path: '/domains/:id',
    noun,
    summary: 'Change a domain',
    scope: 'domains:write',
    state: 'differs',
    differences:
      'Tracking of opens and clicks is changed; `tls: "enforced"` is refused, the other fields are ignored.',
    async handler(translation) {
      const settings = settingsIn(translation.reading, translation.body(NEW_DOMAIN))
      const params = domainParam(translation)
      const { body } = await translation.v1<DomainView>('domains.update', { params, body: settings })
      return { object: 'domain', id: uuidOfId(body.domain_id) }
    },
  },
  {
    method: 'DELETE',
    path: '/domains/:id',
    noun,
    summary: 'Delete a domain',
    scope: 'domains:write',
    state: 'served',
    async handler(translation) {
      const params = domainParam(translation)
      const { body } = await translation.v1<DomainView>('domains.get', { params })
      await translation.v1('domains.delete', { params, query: { confirm: body.domain } })
      return { object: 'domain', id: uuidOfId(body.domain_id), deleted: true }
    },
  },
  {
    method: 'POST',
    path: '/domains/:id/verify',
    noun,
    summary: 'Look up the records of a domain',
    scope: 'domains:verify',
    state: 'served',
    async handler(translation) {
      const { body } = await translation.v1<DomainView>('domains.verify', {
        params: domainParam(translation),
      })
      return { object: 'domain', id: uuidOfId(body.domain_id) }
    },
  },
]
