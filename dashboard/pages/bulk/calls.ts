// API calls about bulk mail.

import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { BulkAnswer, BulkRowView, BulkView } from '../../../src/api/contract/bulk.ts'
import type { BulkCheckView, TemplateVariable } from '../../../src/api/contract/dashboard-bulk.ts'
import type { RenderedView } from '../../../src/api/contract/template.ts'
import { call, get, type Page, path, post, type Query, withQuery } from '../../client.ts'
import { asUtf8, isWorkbook, tableType } from '../../parts/table-file.ts'
import { shortMomentOf } from '../../parts/time.tsx'
import { bulk as words } from '../../texts/en/bulk.ts'
import { fill } from '../../texts/texts.ts'

export type Bulk = Static<typeof BulkView>
export type BulkCheck = BulkCheckView
export type { TemplateVariable }
export type BulkRow = Static<typeof BulkRowView>

export const isUnderWay = ({ status }: Bulk): boolean => status !== 'done' && status !== 'cancelled'

/** Returns the name of a bulk; a bulk that was created without a name is named after its time. */
export const nameOfBulk = ({ name, created_at }: Bulk): string =>
  name ?? fill(words.unnamed, { time: shortMomentOf(created_at) })

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

/** Checks the message and all rows, as `createBulk` does, and sends nothing. */
export const checkBulk = (domainId: string, csv: Blob, query: Query): Promise<BulkCheck> =>
  call('POST', path`/api/domains/${domainId}/bulk/check`, { body: csv, type: 'text/csv', query })

export const cancelBulk = (domainId: string, id: string): Promise<Bulk> =>
  post(path`/api/domains/${domainId}/bulk/${id}/cancel`)

/** Converts a workbook to the CSV that the service reads from it, and any other file to UTF-8. */
export async function asCsv(file: File): Promise<File> {
  if (!isWorkbook(file.name)) return asUtf8(file)
  const csv = await call<string | undefined>('POST', '/api/preview/table', {
    body: file,
    type: tableType(file),
  })
  return new File([csv ?? ''], file.name, { type: 'text/csv' })
}

/** Returns the query for the variables of a template and its layout. */
export const variablesQuery = (domainId: string, templateId: string | null) =>
  queryOptions({
    queryKey: ['domains', domainId, 'templates', templateId, 'variables'],
    async queryFn({ signal }): Promise<readonly TemplateVariable[]> {
      const address = path`/api/domains/${domainId}/templates/${templateId ?? ''}/variables`
      return (await get<{ readonly data: readonly TemplateVariable[] }>(address, undefined, signal)).data
    },
    enabled: templateId !== null,
  })

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
