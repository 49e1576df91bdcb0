// GET /v1/requirements: what the large receivers require, and whether a domain meets each requirement.

import { type RequirementSettings, readPanels } from '../../health/requirement-panel.ts'
import type { Clock } from '../../lib/clock.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import type { Read } from '../../store/database/store.ts'
import { callerOf, senderOfRequest } from '../caller.ts'
import { RequirementsQuery, RequirementsView } from '../contract/requirement.ts'
import { defineRoute } from '../route.ts'

interface RequirementServices {
  readonly read: Read
  readonly clock: Clock
  readonly requirements: RequirementSettings
}

export const showRequirements = ({ read, clock, requirements }: RequirementServices) =>
  defineRoute({
    method: 'GET',
    url: '/v1/requirements',
    schema: {
      tags: ['Deliverability'],
      summary: 'List the requirements of large receivers',
      description:
        'Returns for Gmail, Yahoo and Outlook.com each requirement of bulk senders with its status, its source and a remedy. DNS checks are repeated every hour; refusals of the last 24 hours and TLS of the last 7 days count.',
      querystring: RequirementsQuery,
      response: { 200: RequirementsView },
    },
    refusals: ['validation_failed'],
    scope: 'incidents:read',
    domains: 'one',
    async handler(request): Promise<RequirementsView> {
      const { provider } = request.query
      const { accountId } = callerOf(request)
      const { domainId, domainName } = senderOfRequest(request)
      const domain = { id: domainId, account_id: accountId, name: domainName }
      const panels = await readPanels(read, requirements, domain, clock.now())
      return {
        data: panels
          .filter((panel) => provider === undefined || panel.provider === provider)
          .map(({ checks, ...panel }) => ({
            ...panel,
            checks: checks.map((check) => ({
              ...check,
              since: check.since === null ? null : formatTime(check.since),
            })),
          })),
        next_cursor: null,
      }
    },
  })
