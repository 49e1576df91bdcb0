// Domain Connect: the DNS provider publishes the records of a domain with the consent of the domain owner
// (draft-ietf-dconn-domainconnect).

import type { Resolver } from '../dns/resolver.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { DomainRecord } from '../store/domains/domain-rows.ts'

/** IDs of the Domain Connect template with which DNS providers publish the records of this installation. */
export interface ConnectTemplate {
  readonly providerId: string
  readonly serviceId: string
}

interface Sought {
  readonly resolver: Resolver
  readonly http: OutgoingHttp
  readonly template: ConnectTemplate
  readonly zone: string
  readonly domain: string
  readonly records: readonly DomainRecord[]
}

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

/**
 * Finds the provider's page that shows the records and asks for consent; undefined if the provider does not support
 * Domain Connect or this template. Failures of the DNS or the provider never reject the promise.
 */
export async function findConnectAddress(sought: Sought): Promise<string | undefined> {
  const { resolver, http, template, zone } = sought
  const answer = await resolver.txt(`_domainconnect.${zone}`)
  const [host, ...others] = answer.kind === 'found' ? answer.records : []
  // The zone owner controls this host name; `OutgoingHttp` refuses a host in a forbidden network.
  if (host === undefined || others.length > 0 || !/^[a-z0-9.-]+(?::\d+)?(?:\/[\w./-]*)?$/i.test(host)) {
    return undefined
  }
  const settings = parse(await get(http, `https://${host}/v2/${encodeURIComponent(zone)}/settings`))
  const [api, consent] = [httpsUrl(settings.urlAPI), httpsUrl(settings.urlSyncUX)]
  if (api === undefined || consent === undefined) return undefined
  const place = `v2/domainTemplates/providers/${template.providerId}/services/${template.serviceId}`
  if ((await get(http, `${api}${place}`)) === undefined) return undefined
  return `${consent}${place}/apply?${parametersOf(sought)}`
}

/** Returns the body of a response with status 200; undefined for any other response. */
async function get(http: OutgoingHttp, address: string): Promise<string | undefined> {
  if (!URL.canParse(address)) return undefined
  const options = { method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES } as const
  const answer = await http.request(new URL(address), options)
  return 'problem' in answer || answer.status !== 200 ? undefined : answer.body.toString('utf8')
}

function parse(body: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Returns a URL without its query and with a trailing slash; undefined for schemes other than https. */
function httpsUrl(value: unknown): string | undefined {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol !== 'https:') return undefined
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/*$/, '/')}`
}

/** Names of the template variables for the name and the value of a DNS record, by purpose of the record. */
const VARIABLES: Readonly<Record<string, readonly [host: string | undefined, value: string]>> = {
  dkim_rsa: ['rsahost', 'rsa'],
  dkim_ed25519: ['edhost', 'ed'],
  return_path: [undefined, 'returnpath'],
}

function parametersOf({ zone, domain, records }: Sought): URLSearchParams {
  const parameters = new URLSearchParams({ domain: zone })
  if (domain !== zone) parameters.set('host', domain.slice(0, -zone.length - 1))
  // An existing DMARC record is not replaced.
  const needsDmarc = records.some(({ purpose, status }) => purpose === 'dmarc' && status !== 'found')
  parameters.set('groupId', needsDmarc ? 'sending,dmarc' : 'sending')
  for (const { purpose, name, value } of records) {
    const [host, variable] = VARIABLES[purpose] ?? []
    if (variable === undefined) continue
    if (host !== undefined) parameters.set(host, name.slice(0, -domain.length - 1))
    parameters.set(variable, value)
  }
  return parameters
}
