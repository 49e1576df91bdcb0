// API calls about suppressions.

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

/** Returns the URL of a CSV file with all suppressions that match a filter. */
export const csvAddress = (domainId: string, filter: SuppressionFilter): string =>
  withQuery(path`/api/domains/${domainId}/suppressions`, { ...filter, format: 'csv' })

export const addSuppressions = (
  domainId: string,
  suppressions: readonly Pick<Suppression, 'email' | 'stream' | 'reason'>[],
): Promise<AddResult> => post(path`/api/domains/${domainId}/suppressions`, { suppressions })

/** Uploads a table of suppressions; `column` names the column with the addresses if the service did not find it. */
export const importSuppressions = (domainId: string, table: File, column?: string): Promise<AddResult> =>
  call('POST', path`/api/domains/${domainId}/suppressions`, {
    body: table,
    type: tableType(table),
    query: { column },
  })

/** Removes addresses from the suppression list; a complaint can be removed only as a single address. */
export const removeSuppressions = (
  domainId: string,
  chosen: readonly Pick<Suppression, 'email' | 'stream'>[],
): Promise<Static<typeof Removed>> =>
  post(path`/api/domains/${domainId}/suppressions/remove`, {
    suppressions: chosen.map(({ email, stream }) => ({ email, stream })),
    force: chosen.length === 1,
  })

/** Removes an address from the suppression list of the whole account, also after a complaint. */
export const removeFromAccount = (email: string): Promise<Static<typeof Removed>> =>
  post('/api/account-suppressions/remove', { suppressions: [{ email }], force: true })

/** Returns the reasons of suppressions as choices for a filter. */
export const reasonChoices = (): { readonly value: string; readonly label: string }[] =>
  ['hard_bounce', 'complaint', 'unsubscribe', 'manual'].map((value) => ({ value, label: inWords(value) }))
