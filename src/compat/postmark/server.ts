// Postmark's servers: a server is a domain.

import { callerOf } from '../../api/caller.ts'
import type { DomainSummary } from '../../api/contract/domain.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { pageOf, rowsOf } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING, numberedIn, orMissing, shownNumber, shownNumbers } from './objects.ts'
import { PAGE, readPage } from './paging.ts'

const noun = 'Servers'
const LIST = new FieldNames(...PAGE, 'name')
const DIFFERENCES =
  'A server is a domain, and its tokens are never shown again. Settings that a domain has not are off.'

export const serverCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/server', noun, scope: 'any-credential' },
    summary: 'Read the server of the token',
    state: 'differs',
    differences: DIFFERENCES,
    handler: showOwnServer,
  },
  {
    ...{ method: 'PUT', path: '/server', noun, scope: 'any-credential' },
    summary: 'Change the server of the token',
    state: 'refused',
    differences: 'Change the domain with `PATCH /v1/domains/{domain}`, and webhooks with `/webhooks`.',
  },
  {
    ...{ method: 'GET', path: '/servers', noun, scope: 'domains:read' },
    summary: 'List the servers (account token)',
    state: 'differs',
    differences: DIFFERENCES,
    handler: listServers,
  },
  {
    ...{ method: 'GET', path: '/servers/:id', noun, scope: 'domains:read' },
    summary: 'Read a server (account token)',
    state: 'differs',
    differences: DIFFERENCES,
    handler: showServer,
  },
  ...(['POST /servers', 'PUT /servers/:id', 'DELETE /servers/:id'] as const).map((call): VendorCall => {
    const [method, path] = call.split(' ') as ['POST' | 'PUT' | 'DELETE', string]
    return {
      ...{ method, path, noun, scope: 'any-credential', state: 'refused' },
      summary: `${{ POST: 'Create', PUT: 'Change', DELETE: 'Delete' }[method]} a server (account token)`,
      differences: 'Use `/domains` for domains, and `/v1/keys` for their tokens.',
    }
  }),
]

/** Returns the number of the domain that a request works in; 0 for a key of several domains. */
export async function serverId(translation: Translation): Promise<number> {
  const { sender } = callerOf(translation.request)
  return sender === undefined ? 0 : shownNumber(translation, 'domain', sender.domainId)
}

async function showOwnServer(translation: Translation): Promise<object> {
  const { sender, mode } = callerOf(translation.request)
  if (sender === undefined) {
    throw new Problem('domain_not_permitted', 'This key works on several domains; use the key of one domain.')
  }
  const number = await shownNumber(translation, 'domain', sender.domainId)
  return serverView(translation, number, sender.domainName, mode)
}

async function listServers(translation: Translation): Promise<object> {
  const query = translation.query(LIST)
  const page = readPage(query, translation.reading)
  const name = query.text('name')
  const rows = rowsOf<DomainSummary>(translation, 'domains.list', name === undefined ? {} : { name })
  const found = await pageOf(rows, page)
  const ids = found.rows.map(({ domain_id }) => domain_id)
  const numbers = await shownNumbers(translation, 'domain', ids)
  return {
    TotalCount: found.total,
    Servers: found.rows.map(({ domain_id, domain }) =>
      serverView(translation, numbers.get(domain_id) as number, domain, 'live'),
    ),
  }
}

async function showServer(translation: Translation): Promise<object> {
  const domain = await numberedIn(translation, 'domain', MISSING.server)
  const shown = translation.v1<DomainSummary>('domains.get', { params: { domain } })
  const { body } = await orMissing(MISSING.server, shown)
  return serverView(translation, Number(translation.param('id')), body.domain, 'live')
}

const serverView = (
  { services }: Translation,
  number: number,
  domain: string,
  mode: 'live' | 'test',
): object => ({
  ID: number,
  Name: domain,
  ApiTokens: [],
  ServerLink: services.publicUrl.value,
  Color: 'green',
  SmtpApiActivated: true,
  RawEmailEnabled: false,
  DeliveryType: mode === 'live' ? 'Live' : 'Sandbox',
  InboundAddress: '',
  InboundHookUrl: '',
  BounceHookUrl: '',
  OpenHookUrl: '',
  DeliveryHookUrl: '',
  ClickHookUrl: '',
  PostFirstOpenOnly: false,
  InboundDomain: '',
  InboundHash: '',
  InboundSpamThreshold: 0,
  TrackOpens: false,
  TrackLinks: 'None',
  IncludeBounceContentInHook: false,
  EnableSmtpApiErrorHooks: false,
})
