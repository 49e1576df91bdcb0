// Mailgun's calls about sending domains: the domains, their DNS records, their tracking and their SMTP logins.

import type { DomainRecordView, DomainSummary, DomainView } from '../../api/contract/domain.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { pageOf, rowsOf, rowsWhere } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { objectOf } from './domain.ts'
import { mailgunTime } from './times.ts'

const noun = 'Domains'
const FORM = { kinds: ['fields'], maxBytes: 65_536 } as const
const settings =
  'Settings without an equivalent have no effect, and are named in the header `X-Postrider-Ignored`.'

export const domainCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/v4/domains', noun, scope: 'domains:read', summary: 'List domains' },
    state: 'served',
    handler: listDomains,
  },
  {
    ...{ method: 'POST', path: '/v4/domains', noun, scope: 'domains:write', summary: 'Add a domain' },
    ...{ body: FORM, state: 'differs', differences: settings },
    handler: addDomain,
  },
  {
    ...{ method: 'GET', path: '/v4/domains/:domain', noun, scope: 'domains:read', summary: 'Show a domain' },
    state: 'served',
    handler: async (translation) => shown(await find(translation)),
  },
  {
    ...{
      method: 'PUT',
      path: '/v4/domains/:domain',
      noun,
      scope: 'domains:write',
      summary: 'Change a domain',
    },
    ...{ body: FORM, state: 'differs', differences: settings },
    async handler(translation) {
      translation.reading.fields(objectOf(translation), new FieldNames())
      return { ...shown(await find(translation)), message: 'Domain has been updated' }
    },
  },
  {
    ...{ method: 'PUT', path: '/v4/domains/:domain/verify', noun, scope: 'domains:verify' },
    summary: 'Look up the DNS records of a domain',
    ...{ body: FORM, state: 'served' },
    async handler(translation) {
      const { body } = await about<DomainView>(translation, 'domains.verify')
      return { ...shown(body), message: 'Domain DNS records have been updated' }
    },
  },
  {
    ...{ method: 'DELETE', path: '/v3/domains/:domain', noun, scope: 'domains:write' },
    ...{ summary: 'Delete a domain', state: 'served' },
    async handler(translation) {
      const domain = translation.param('domain')
      await about(translation, 'domains.delete', { query: { confirm: domain } })
      translation.reply.code(200)
      return { message: 'Domain will be deleted in the background' }
    },
  },
  {
    ...{ method: 'GET', path: '/v3/domains/:domain/tracking', noun, scope: 'domains:read' },
    ...{ summary: 'Show the tracking of a domain', state: 'served' },
    async handler(translation) {
      const { track_opens, track_links } = await find(translation)
      return {
        tracking: {
          open: { active: track_opens },
          click: { active: track_links ? 'htmlonly' : false },
          unsubscribe: { active: false, html_footer: '', text_footer: '' },
        },
      }
    },
  },
  {
    ...{ method: 'PUT', path: '/v3/domains/:domain/tracking/:kind', noun, scope: 'domains:write' },
    summary: 'Change the tracking of a domain',
    ...{ body: FORM, state: 'differs' },
    differences: 'Unsubscribe links belong to broadcast streams, so `unsubscribe` is refused.',
    handler: changeTracking,
  },
  {
    ...{ method: 'GET', path: '/v3/domains/:domain/credentials', noun, scope: 'keys:read' },
    ...{ summary: 'List SMTP logins', state: 'served' },
    handler: listLogins,
  },
  ...(['POST', 'PUT', 'DELETE'] as const).map(
    (method): VendorCall => ({
      ...{ method, noun, scope: 'keys:write' },
      path: `/v3/domains/:domain/credentials${method === 'POST' ? '' : '/:login'}`,
      summary: `${{ POST: 'Add', PUT: 'Change', DELETE: 'Remove' }[method]} an SMTP login`,
      state: 'refused',
      differences: 'The service chooses user names and passwords; use `/v1/smtp-credentials`.',
    }),
  ),
]

/** Calls an endpoint of `/v1` about the domain in the path. Throws `not_found` with Mailgun's text. */
async function about<Body>(
  translation: Translation,
  operation: string,
  given: { readonly query?: Readonly<Record<string, unknown>>; readonly body?: object } = {},
) {
  const domain = translation.param('domain')
  try {
    return await translation.v1<Body>(operation, { ...given, params: { domain } })
  } catch (error) {
    const isAbsent = error instanceof Problem && /^(?:not_found|domain_not_permitted)$/.test(error.code)
    throw isAbsent ? new Problem('not_found', `Domain not found: ${domain.slice(0, 253)}`) : error
  }
}

const find = async (translation: Translation): Promise<DomainView> =>
  (await about<DomainView>(translation, 'domains.get')).body

const LIST = new FieldNames('limit', 'skip', 'state', 'sort', 'authority', 'search', 'include_subaccounts')

async function listDomains(translation: Translation): Promise<object> {
  const fields = translation.query(LIST)
  const count = Math.min(Math.max(fields.integer('limit') ?? 100, 1), 1_000)
  const offset = fields.integer('skip') ?? 0
  const search = fields.text('search')?.toLowerCase()
  const state = fields.text('state')
  for (const name of ['sort', 'authority', 'include_subaccounts']) {
    if (fields.has(name)) translation.reading.ignore(name)
  }
  const wanted = rowsWhere(
    rowsOf<DomainSummary>(translation, 'domains.list'),
    (one) =>
      (search === undefined || one.domain.includes(search)) &&
      (state === undefined || stateOf(one) === state),
  )
  const { rows, total } = await pageOf(wanted, { count, offset })
  return { total_count: total, items: rows.map(itemOf) }
}

const NEW = new FieldNames('name')

async function addDomain(translation: Translation): Promise<object> {
  const name = translation.reading.fields(objectOf(translation), NEW).text('name')
  if (name === undefined) translation.reading.wrong('name', 'required', 'Give the name of the domain.')
  const { body } = await translation.v1<DomainView>('domains.create', { body: { domain: name } })
  return { ...shown(body), message: 'Domain has been created' }
}

const TRACKING = new FieldNames('active', 'place_at_the_top', 'html_footer', 'text_footer')

async function changeTracking(translation: Translation): Promise<object> {
  const kind = translation.param('kind')
  const fields = translation.reading.fields(objectOf(translation), TRACKING)
  const isHtmlOnly = fields.text('active')?.toLowerCase() === 'htmlonly'
  const isActive = isHtmlOnly || fields.flag('active') === true
  if (fields.has('place_at_the_top')) translation.reading.ignore('place_at_the_top')
  const names: Readonly<Record<string, string>> = { open: 'track_opens', click: 'track_links' }
  const name = Object.hasOwn(names, kind) ? names[kind] : undefined
  if (name === undefined) {
    const message = 'Use a broadcast stream, whose messages have an unsubscribe link.'
    if (kind === 'unsubscribe') translation.reading.refuse('unsubscribe', message)
    else throw new Problem('not_found', 'There is tracking of open and click.')
  } else await about(translation, 'domains.update', { body: { [name]: isActive } })
  translation.check()
  return { message: 'Domain tracking settings have been updated', [kind]: { active: isActive } }
}

async function listLogins(translation: Translation): Promise<object> {
  await find(translation)
  const logins = rowsOf<Login>(translation, 'smtpCredentials.list', { domain: translation.param('domain') })
  const { rows, total } = await pageOf(logins, { count: 1_000, offset: 0 })
  const items = rows.map(({ username, created_at }) => ({
    ...{ login: username, mailbox: username, size_bytes: null },
    created_at: mailgunTime(created_at),
  }))
  return { total_count: total, items }
}

interface Login {
  readonly username: string
  readonly created_at: string
}

const stateOf = ({ status }: Pick<DomainSummary, 'status'>): string =>
  ({ pending: 'unverified', verified: 'active', paused: 'disabled' })[status]

const itemOf = (domain: DomainSummary): object => ({
  id: domain.domain_id,
  name: domain.domain,
  state: stateOf(domain),
  is_disabled: domain.status === 'paused',
  created_at: mailgunTime(domain.created_at),
  ...{ type: 'custom', smtp_login: '', smtp_password: '', spam_action: 'disabled', wildcard: false },
  ...{ require_tls: false, skip_verification: false, web_prefix: 'email', web_scheme: 'https' },
  use_automatic_sender_security: false,
})

const shown = (domain: DomainView): object => ({
  domain: itemOf(domain),
  sending_dns_records: domain.records.filter(({ type }) => type !== 'MX').map(recordOf),
  receiving_dns_records: domain.records.filter(({ type }) => type === 'MX').map(recordOf),
})

const recordOf = ({ type, name, value, status, found }: DomainRecordView): object => {
  const [, priority, host] = /^(\d+) (\S+)$/.exec(value) ?? []
  return {
    ...{ record_type: type, name, value: type === 'MX' ? (host ?? value) : value },
    ...(type === 'MX' ? { priority: priority ?? '10' } : {}),
    valid: status === 'found' ? 'valid' : 'unknown',
    ...{ is_active: status === 'found', cached: found },
  }
}
