// API calls about bulk mail.

import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { BulkAnswer, BulkRowView, BulkView } from '../../../src/api/contract/bulk.ts'
import type { RenderedView } from '../../../src/api/contract/template.ts'
import { call, get, type Page, path, post, type Query, withQuery } from '../../client.ts'
import { isWorkbook, tableType } from '../../parts/table-file.ts'

export type Bulk = Static<typeof BulkView>
export type BulkRow = Static<typeof BulkRowView>

export const isUnderWay = ({ status }: Bulk): boolean => status !== 'done' && status !== 'cancelled'

/** True if the bulk can be cancelled: some rows are not messages yet, or some messages wait. */
export const isStoppable = (bulk: Bulk): boolean =>
  isUnderWay(bulk) || ['scheduled', 'queued', 'deferred'].some((status) => bulk.recipients?.[status])

export const bulksQuery = (domainId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['domains', domainId, 'bulks', cursor],
    queryFn: ({ signal }) => get<Page<Bulk>>(path`/api/domains/${domainId}/bulk`, { cursor }, signal),
    // The list refreshes quickly while a bulk is in progress.
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? 2_000 : 15_000),
  })

export const bulkQuery = (domainId: string, id: string) =>
  queryOptions({
    queryKey: ['domains', domainId, 'bulk', id],
    queryFn: ({ signal }) =>
      get<Bulk>(path`/api/domains/${domainId}/bulk/${id}`, { include: 'recipients' }, signal),
    // Messages may be delivered after the last row was accepted, so the page continues to refresh.
    refetchInterval: ({ state }) => (state.data === undefined || isUnderWay(state.data) ? 2_000 : 10_000),
  })

export const rowsQuery = (
  domainId: string,
  id: string,
  { cursor, failures }: { readonly cursor: string | undefined; readonly failures: boolean },
) =>
  queryOptions({
    queryKey: ['domains', domainId, 'bulk', id, 'rows', cursor, failures],
    queryFn: ({ signal }) =>
      get<Page<BulkRow>>(
        path`/api/domains/${domainId}/bulk/${id}/rows`,
        { cursor, failures: failures || undefined },
        signal,
      ),
    refetchInterval: 5_000,
  })

export const csvAddress = (domainId: string, id: string, failures: boolean): string =>
  withQuery(path`/api/domains/${domainId}/bulk/${id}/rows`, {
    format: 'csv',
    failures: failures || undefined,
  })

/** Sends a message to the rows of a CSV file; the first line of the file has the names of the columns. */
export const createBulk = (
  domainId: string,
  csv: Blob,
  query: Query,
  idempotencyKey: string,
): Promise<Static<typeof BulkAnswer>> =>
  call('POST', path`/api/domains/${domainId}/bulk`, { body: csv, type: 'text/csv', query, idempotencyKey })

export const cancelBulk = (domainId: string, id: string): Promise<Bulk> =>
  post(path`/api/domains/${domainId}/bulk/${id}/cancel`)

/** Converts a workbook to the CSV that the service reads from it; returns any other file unchanged. */
export async function asCsv(file: File): Promise<File> {
  if (!isWorkbook(file.name)) return file
  const csv = await call<string | undefined>('POST', '/api/preview/table', {
    body: file,
    type: tableType(file),
  })
  return new File([csv ?? ''], file.name, { type: 'text/csv' })
}

/** Returns a query that renders a template with the values of a row. */
export const rowPreviewQuery = (domainId: string, templateId: string | null, model: object) =>
  queryOptions({
    queryKey: ['domains', domainId, 'templates', templateId, 'row', model],
    queryFn: () =>
      post<Static<typeof RenderedView>>(path`/api/domains/${domainId}/templates/${templateId ?? ''}/render`, {
        template_model: model,
      }),
    enabled: templateId !== null,
    gcTime: 10_000,
  })
