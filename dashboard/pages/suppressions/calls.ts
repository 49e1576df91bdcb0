// Calls of the service about suppressions.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Added, Removed, SuppressionView } from '../../../src/api/contract/suppression.ts'
import { call, get, type Page, path, post, withQuery } from '../../client.ts'
import { inWords } from '../../parts/in-words.ts'
import { tableType } from '../../parts/table-file.ts'

export type Suppression = Static<typeof SuppressionView>
export type AddResult = Static<typeof Added>

export interface SuppressionFilter {
  readonly email?: string | undefined
  readonly stream?: string | undefined
  readonly reason?: string | undefined
}

export const suppressionsQuery = (domainId: string, filter: SuppressionFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['domains', domainId, 'suppressions', filter, cursor],
    queryFn: ({ signal }) =>
      get<Page<Suppression>>(path`/api/domains/${domainId}/suppressions`, { ...filter, cursor }, signal),
    placeholderData: keepPreviousData,
  })

/** All of them in one file. */
export const csvAddress = (domainId: string, filter: SuppressionFilter): string =>
  withQuery(path`/api/domains/${domainId}/suppressions`, { ...filter, format: 'csv' })

export const addSuppressions = (
  domainId: string,
  suppressions: readonly Pick<Suppression, 'email' | 'stream' | 'reason'>[],
): Promise<AddResult> => post(path`/api/domains/${domainId}/suppressions`, { suppressions })

/** Hands over a table; `column` is the one with the addresses, where the service did not find it. */
export const importSuppressions = (domainId: string, table: File, column?: string): Promise<AddResult> =>
  call('POST', path`/api/domains/${domainId}/suppressions`, {
    body: table,
    type: tableType(table),
    query: { column },
  })

/** Takes addresses off the list; a complaint only by itself. */
export const removeSuppressions = (
  domainId: string,
  chosen: readonly Pick<Suppression, 'email' | 'stream'>[],
): Promise<Static<typeof Removed>> =>
  post(path`/api/domains/${domainId}/suppressions/remove`, {
    suppressions: chosen.map(({ email, stream }) => ({ email, stream })),
    force: chosen.length === 1,
  })

/** Reasons to choose from. */
export const reasonChoices = (): { readonly value: string; readonly label: string }[] =>
  ['hard_bounce', 'complaint', 'unsubscribe', 'manual'].map((value) => ({ value, label: inWords(value) }))
