// postrider suppression: imports and exports the suppression lists of a domain as CSV.

import { text as textOf } from 'node:stream/consumers'
import { Problem } from '../model/problem.ts'
import { WHOLE_DOMAIN } from '../model/suppression.ts'
import type { Read } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { listStreams } from '../store/workspace/streams.ts'
import { listSuppressions } from '../store/workspace/suppression-list.ts'
import type { Suppression } from '../store/workspace/suppressions.ts'
import { readSuppressions, suppressionsAsCsv, suppressionView } from '../streams/suppression-csv.ts'
import { SuppressionList } from '../streams/suppression-list.ts'
import type { Answer, Context } from './command.ts'
import { withDomain } from './open.ts'
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
  return withDomain(context, given, async ({ store, clock, owner }) => {
    const rows = await readTable(context, readSuppressions)
    const inputs = rows.map((row) => ({ ...row, stream: row.stream ?? given.stream }))
    const result = await new SuppressionList(store, clock).addAll(owner, inputs)
    const { added, existing, rejected, problems } = result
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
    return { document: result, text: lines.join('\n'), failed: added + existing === 0 }
  })
}

/** Exports suppressions to standard output, as CSV that `suppression import` accepts. */
export function exportList(
  context: Context,
  given: DomainGiven & { readonly stream: string | undefined },
): Promise<Answer> {
  return withDomain(context, given, async ({ store, owner }) => {
    await requireStream(store.read, owner, given.stream)
    if (!context.json) {
      const csv = await textOf(suppressionsAsCsv(all(store.read, owner, given.stream)))
      return { document: {}, text: csv.trimEnd() }
    }
    const data: object[] = []
    for await (const one of all(store.read, owner, given.stream)) data.push(suppressionView(one))
    return { document: { data }, text: '' }
  })
}

/** Throws if the stream does not exist, because a mistyped stream would look like an empty list. */
async function requireStream(read: Read, owner: Owner, stream: string | undefined): Promise<void> {
  if (stream === undefined || stream === WHOLE_DOMAIN) return
  const aliases = (await listStreams(read, owner)).map(({ alias }) => alias)
  if (aliases.includes(stream)) return
  throw new Problem(
    'not_found',
    `The domain has no stream ${JSON.stringify(stream)}; it has ${aliases.join(', ')}, and * for the lists of all streams.`,
  )
}

const PAGE = 1_000

async function* all(read: Read, owner: Owner, stream: string | undefined): AsyncGenerator<Suppression> {
  for (let cursor: string | undefined; ; ) {
    const rows = await listSuppressions(read, owner, { stream }, PAGE, cursor)
    yield* rows
    if (rows.length < PAGE) return
    cursor = rows.at(-1)?.id
  }
}
