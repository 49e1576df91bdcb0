// postrider suppression: imports and exports the suppression lists of a domain as CSV.

import type { Static } from 'typebox'
import type { StreamView } from '../api/contract/stream.ts'
import type { Added, SuppressionView } from '../api/contract/suppression.ts'
import { Problem } from '../model/problem.ts'
import { WHOLE_DOMAIN } from '../model/suppression.ts'
import { readSuppressions } from '../streams/suppression-csv.ts'
import type { Api } from './api.ts'
import type { Answer, Context } from './command.ts'
import { oneDomain, withApi } from './open.ts'
import { readTable } from './table-input.ts'
import { counted, printable } from './text.ts'

/** Domain whose suppression lists are imported or exported. */
interface DomainGiven {
  readonly domain: string | undefined
  readonly account: string | undefined
}

/** Maximum number of refused rows that are shown. */
const MAX_LINES = 20

/** Imports suppressions as CSV from standard input; `stream` applies to rows without a stream. */
export function importList(
  context: Context,
  given: DomainGiven & { readonly stream: string | undefined },
): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const domain = await oneDomain(api, given.domain)
    const rows = await readTable(context, readSuppressions)
    const suppressions = rows.map(({ line: _, ...row }) => ({ ...row, stream: row.stream ?? given.stream }))
    const result = await api.post<Static<typeof Added>>('/v1/suppressions', { suppressions }, { domain })
    const { added, existing, rejected } = result
    const problems = result.problems.map((problem) => {
      const [, index] = /^suppressions\[(\d+)\]/.exec(problem.path) ?? []
      return { ...problem, line: rows[Number(index)]?.line }
    })
    const rejections = problems.slice(0, MAX_LINES).map(({ path, line, message }) => {
      const column = path.slice(path.lastIndexOf('.') + 1)
      return `  line ${line}, ${column}: ${message}`
    })
    const more =
      problems.length > MAX_LINES ? ['  Further problems are left out; --json shows a hundred.'] : []
    const lines = [
      `${counted(added, 'address', 'addresses')} added, ${existing} already suppressed, ${rejected} invalid.`,
      ...rejections.map((line) => printable(line)),
      ...more,
    ]
    return {
      document: { ...result, problems },
      text: lines.join('\n'),
      failed: added + existing === 0,
    }
  })
}

/** Exports suppressions to standard output, as CSV that `suppression import` accepts. */
export function exportList(
  context: Context,
  { stream, ...given }: DomainGiven & { readonly stream: string | undefined },
): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const domain = await oneDomain(api, given.domain)
    await requireStream(api, domain, stream)
    const query = { domain, stream }
    if (context.json) {
      const data = await api.list<Static<typeof SuppressionView>>('/v1/suppressions', query)
      return { document: { data }, text: '' }
    }
    const csv = await api.text('/v1/suppressions', 'text/csv', { ...query, format: 'csv' })
    return { document: {}, text: csv.trimEnd() }
  })
}

/** Throws if the stream does not exist, because a mistyped stream would look like an empty list. */
async function requireStream(api: Api, domain: string, stream: string | undefined): Promise<void> {
  if (stream === undefined || stream === WHOLE_DOMAIN) return
  const streams = await api.list<Static<typeof StreamView>>('/v1/streams', { domain })
  const aliases = streams.map(({ alias }) => alias)
  if (aliases.includes(stream)) return
  throw new Problem(
    'not_found',
    `The domain has no stream ${JSON.stringify(stream)}; it has ${aliases.join(', ')}, and * for the lists of all streams.`,
  )
}
