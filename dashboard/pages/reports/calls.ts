// API calls about reports of receivers, and the authentication that they report.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  AuthenticationList,
  AuthenticationRow,
  NamedSourceView,
  ReportSummary,
} from '../../../src/api/contract/report.ts'
import { call, get, type Page, path, put } from '../../client.ts'
import { LIVE_MS } from '../../queries.ts'

export type Authentication = Static<typeof AuthenticationList>
export type { AuthenticationRow, ReportSummary }

export const authenticationQuery = (domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'authentication'],
    queryFn: ({ signal }) =>
      get<Authentication>(path`/api/domains/${domainId}/authentication`, undefined, signal),
  })

export const reportsQuery = (domainId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['domains', domainId, 'reports', cursor],
    queryFn: ({ signal }) =>
      get<Page<ReportSummary>>(path`/api/domains/${domainId}/reports`, { cursor, limit: 20 }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  })

export const uploadReport = (domainId: string, file: File): Promise<ReportSummary> =>
  call('POST', path`/api/domains/${domainId}/reports`, { body: file })

export const nameSource = (
  domainId: string,
  sourceId: string,
  kind: 'known' | 'unknown',
): Promise<Static<typeof NamedSourceView>> =>
  put(path`/api/domains/${domainId}/authentication/sources/${sourceId}`, { kind })

export const rawAddress = (domainId: string, reportId: string): string =>
  path`/api/domains/${domainId}/reports/${reportId}/raw`
