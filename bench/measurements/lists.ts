// Measures address lists with additional columns, as CSV and as XLSX: upload, verification without probes, and
// download.

import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { grantCredits } from '../../src/store/verification/verification-credits.ts'
import { writeCsv } from '../../src/tables/csv.ts'
import { workbookAsCsv } from '../../src/tables/workbook-reader.ts'
import { WORKBOOK_TYPE, writeWorkbook } from '../../src/tables/workbook-writer.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line } from '../harness/report.ts'
import { type Node, Rig } from '../harness/rig.ts'

/** Default number of addresses in a list. */
const LISTED = 100_000
const DOMAINS = 100
const MAX_CSV_BYTES = 100_000_000
const COLUMNS = ['Customer', 'Email address', 'Name', 'City', 'Since']

const FORMATS = { csv: 'text/csv', xlsx: WORKBOOK_TYPE } as const
type Format = keyof typeof FORMATS

/** Runs the measurement `npm run bench -- lists`. */
export async function measureLists(options: Options): Promise<void> {
  const listed = options.messages === 20_000 ? LISTED : options.messages
  const rig = await Rig.open({ ...options, destinations: 1 })
  try {
    const node = await rig.node('api')
    const store = await rig.openStore()
    const { id: accountId } = await store.read.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    await store.write(grantCredits, { accountId, credits: 10 * listed, note: 'bench', now: Date.now() })
    await store.close()
    for (const format of Object.keys(FORMATS) as Format[]) await measure(node, format, listed)
  } finally {
    await rig.close()
  }
}

async function measure({ process: ours, started }: Node, format: Format, listed: number): Promise<void> {
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${started.url}/v1/verifications${path}`, {
      ...init,
      headers: { authorization: `Bearer ${started.playground.verification_key}`, ...init.headers },
    })
  const body = await tableOf(format, listed)
  await ours.ask('reset', undefined)
  const began = performance.now()
  const headers = { 'content-type': FORMATS[format] }
  const accepted = await ask('', { method: 'POST', headers, body: new Uint8Array(body) })
  const { verification_id } = (await accepted.json()) as { readonly verification_id?: string }
  if (verification_id === undefined) throw new Error(`${format}: ${accepted.status}`)
  const answered = performance.now()
  while (((await (await ask(`/${verification_id}`)).json()) as { status: string }).status !== 'done') {
    await sleep(200)
  }
  const done = performance.now()
  const results = await ask(`/${verification_id}/results?format=${format}`)
  const bytes = Buffer.from(await results.arrayBuffer())
  const downloaded = performance.now()
  const csv = format === 'csv' ? bytes.toString() : await workbookAsCsv(bytes, MAX_CSV_BYTES)
  const figures = await ours.ask('figures', undefined)
  heading(`lists: ${listed} addresses with ${COLUMNS.length - 1} other columns as ${format}`)
  line('until the 202', figure(answered - began, 'ms'), `${figure(body.length / 1e6)} MB`)
  line('until all are verified', figure((done - answered) / 1000, 's'))
  line('until the results are here', figure(downloaded - done, 'ms'), `${figure(bytes.length / 1e6)} MB`)
  line('event loop delay p99', figure(figures.loopDelayP99Ms, 'ms'))
  line('peak RSS', figure(figures.peakRssMiB, 'MiB'))
  const lines = csv.trimEnd().split('\n').slice(1)
  const whole = lines.every((one, row) => {
    const [, email, ...others] = cellsOf(row)
    return one.startsWith(`${email},`) && one.endsWith(`,${[cellsOf(row)[0], ...others].join(',')}`)
  })
  goal('every row came back with its columns', whole && lines.length === listed)
}

/** Returns the cells of a row; the texts need no quotes in CSV, and are the same in a workbook. */
const cellsOf = (row: number): string[] => [
  String(row).padStart(7, '0'),
  `customer-${row}@d${row % DOMAINS}.invalid`,
  `Customer ${row}`,
  `City ${row % 1_000}`,
  `2026-01-${String(1 + (row % 28)).padStart(2, '0')}`,
]

async function* rowsOf(listed: number): AsyncGenerator<string[]> {
  for (let row = 0; row < listed; row++) yield cellsOf(row)
}

async function tableOf(format: Format, listed: number): Promise<Buffer> {
  if (format === 'csv') return buffer(writeCsv(COLUMNS, rowsOf(listed)))
  async function* withHeader() {
    yield COLUMNS
    yield* rowsOf(listed)
  }
  return buffer(writeWorkbook(withHeader()))
}
