// GET /api/shared-records: the DNS records of a domain behind a link, for a person without a login.

import { zoneText } from '../../../domains/zone-text.ts'
import { isId } from '../../../lib/ids.ts'
import { Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import { type Domain, findDomainById, listDomainRecords } from '../../../store/domains/domain-rows.ts'
import { SharedRecordsQuery, SharedRecordsView } from '../../contract/domain.ts'
import { domainSummary, inOrder, recordViews } from '../../domains/view.ts'
import { defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'

/** Returns the domain of a record link, and the time at which the link expires; undefined for an invalid link. */
async function domainOfLink(
  { recordLinks, read }: DashboardServices,
  link: string,
): Promise<{ readonly domain: Domain; readonly expiresAt: number } | undefined> {
  const [accountId = '', domainId = '', token = '', ...more] = link.split('.')
  if (more.length > 0 || !isId('acc', accountId) || !isId('dom', domainId)) return undefined
  const good = await recordLinks.read(domainId, token)
  const domain = good && (await findDomainById(read, accountId, domainId))
  return domain && { domain, expiresAt: good.expiresAt }
}

export const sharedRecords = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/shared-records',
    role: 'nobody',
    schema: { querystring: SharedRecordsQuery, response: { 200: SharedRecordsView } },
    async handler(request): Promise<SharedRecordsView> {
      const link = await reading(domainOfLink(services, request.query.token))
      if (link === undefined) {
        throw new Problem(
          'not_found',
          'This link is not valid, was revoked, or has expired. Ask the person who sent it for a new one.',
        )
      }
      const { domain } = link
      const records = await reading(listDomainRecords(services.read, domain.account_id, domain.id))
      const { domain: name, domain_unicode, status, checked_at } = domainSummary(domain)
      return {
        ...{ domain: name, domain_unicode, status, checked_at },
        records: recordViews({ domain, records }),
        zone_file: zoneText(domain, inOrder(records)),
        expires_at: new Date(link.expiresAt).toISOString(),
      }
    },
  })
