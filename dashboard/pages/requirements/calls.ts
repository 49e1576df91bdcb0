// API calls about the requirements of large receivers.

import { queryOptions } from '@tanstack/react-query'
import type { RequirementsView } from '../../../src/api/contract/requirement.ts'
import { get, path } from '../../client.ts'

export type ReceiverRequirements = RequirementsView['data'][number]
export type RequirementCheck = ReceiverRequirements['checks'][number]

export const requirementsQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['requirements', domainId],
    queryFn: ({ signal }) =>
      get<RequirementsView>(path`/api/domains/${domainId}/requirements`, undefined, signal),
    refetchInterval: 60_000,
  })
