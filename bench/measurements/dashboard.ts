// Measures the response times of the dashboard's lists, searches, charts and problems, with a million messages in the
// store.

import { MESSAGE_STATUSES } from '../../src/model/message.ts'
import { RECIPIENT_STATUSES } from '../../src/model/recipient.ts'
import { settled } from '../../test/support/store.ts'
import { addressOf, endings, type Filled, fillMonth, idOf } from '../harness/dashboard-fill.ts'
import { Page } from '../harness/dashboard-page.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, quantile } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'

const MESSAGES = 1_000_000
const LIST_MS = 100
const CHART_MS = 200
const DAY_MS = 86_400_000

/** Runs the measurement `npm run bench -- dashboard`. */
export async function measureDashboard(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    // The start of the node creates the playground; no node delivers the messages of the playground.
    const node = await rig.node('api,dashboard')
    const store = await rig.openStore()
    const count = options.queued ?? MESSAGES
    const startedAt = performance.now()
    const filled = await fillMonth(store, count)
    await settled(store)
    const seconds = (performance.now() - startedAt) / 1000
    for (const statement of endings(filled, count)) await rig.execute(statement)
    if (options.database === 'postgres') await rig.execute('vacuum analyze')
    await store.close()
    heading(`dashboard: ${count} messages in the store, ${options.database}`)
    line('accepted', figure(count / seconds, '/s'))
    const page = await Page.open(node)
    await lists(page, filled, count)
    await searches(page, filled, count)
    await charts(page, filled)
  } finally {
    await rig.close()
  }
}

async function lists(page: Page, filled: Filled, count: number): Promise<void> {
  const at = (share: number): string =>
    new Date(filled.from + Math.floor(count * share) * filled.stepMs).toISOString()
  const middle = Math.floor(count / 2)
  const address = encodeURIComponent(addressOf(123_457 % count))
  const queries: Record<string, string> = {
    'the newest': '',
    'a page in the middle': `cursor=${idOf(filled, middle)}`,
    'the oldest': `cursor=${idOf(filled, 60)}`,
    'tag of a third': 'tag=receipt',
    'tag of one': 'tag=once',
    'tag of none': 'tag=nothing',
    'stream of 500': 'stream=broadcast',
    'stream of nearly all': 'stream=transactional',
    'an address': `recipient=${address}`,
    'the beginning of few addresses': 'recipient=user12345',
    'the beginning of all addresses': 'recipient=user',
    'the address of nobody': 'recipient=nobody%40nowhere.example',
    'a word of half of the subjects': 'subject=receipt',
    'a word of five subjects': 'subject=zanzibar',
    'the beginning of a word': 'subject=zanz',
    'the number of an order': `subject=${100_000 + middle + (middle % 2)}`,
    'two words of many': 'subject=parcel+dimitri',
    'a word of no subject': 'subject=xyzzy',
    'a day three weeks ago': `after=${at(0.3)}&before=${at(0.33)}`,
    'the first hour': `before=${at(0.0015)}`,
    'a word, three weeks ago': `subject=welcome&before=${at(0.3)}`,
    'an address, and a word': `recipient=${address}&subject=parcel`,
    'all at once': `status=delivered&tag=receipt&stream=transactional&subject=receipt&recipient=user&before=${at(0.9)}`,
    'two words that never meet': 'subject=receipt+welcome',
  }
  line('', 'rows', 'p50', 'p95', 'longest')
  let worst = 0
  const list = `/api/domains/${filled.owner.domainId}/messages`
  for (const [name, query] of Object.entries(queries)) {
    const { rows, times } = await page.measure(`${list}?${query}`)
    worst = Math.max(worst, shown(name, rows, times))
  }
  worst = Math.max(worst, await statuses(page, list, at(0.5)))
  goal(`every list within ${LIST_MS} ms (p95)`, worst < LIST_MS)
}

/** Measures lists by each status of messages and recipients, alone and combined with each other filter. */
async function statuses(page: Page, list: string, before: string): Promise<number> {
  const beside: Record<string, string> = {
    alone: '',
    'a tag of a third': '&tag=receipt',
    'a tag of none': '&tag=nothing',
    'a stream of 500': '&stream=broadcast',
    'the other stream': '&stream=transactional',
    'a word of half': '&subject=receipt',
    'a word of none': '&subject=xyzzy',
    'all addresses': '&recipient=user',
    'the older half': `&before=${before}`,
    'a tag, stream, word and address': '&tag=receipt&stream=transactional&subject=receipt&recipient=user',
  }
  const asked = [
    ...MESSAGE_STATUSES.map((status) => [`status ${status}`, `status=${status}`]),
    ...RECIPIENT_STATUSES.map((status) => [`a recipient ${status}`, `recipient_status=${status}`]),
  ] as const
  let worst = 0
  for (const [name, query] of asked) {
    for (const [filter, more] of Object.entries(beside)) {
      const { rows, times } = await page.measure(`${list}?${query}${more}`)
      worst = Math.max(worst, shown(`${name}, ${filter}`, rows, times))
    }
  }
  return worst
}

/** Measures the search in all domains by each property of a message, and the page of a recipient's address. */
async function searches(page: Page, filled: Filled, count: number): Promise<void> {
  const id = idOf(filled, Math.floor(count / 2))
  const address = addressOf(123_457 % count)
  const sought: Record<string, string> = {
    'a message ID': id,
    'a Message-ID header': `<${id.slice(4)}@example.test>`,
    'an unknown Message-ID': '<nobody@mailer.example>',
    'a whole address, in capitals': address.toUpperCase(),
    'the first letter of all addresses': 'u',
    'words of many subjects': 'receipt for order',
    'a word of five subjects, with an accent': 'zánzibar',
    'the number of an order': String(100_000 + Math.floor(count / 2)),
    'the beginning of a tag': 'rec',
    nothing: 'xyzzy plugh',
  }
  let worst = 0
  const measured = async (name: string, path: string): Promise<void> => {
    const { rows, times } = await page.measure(path)
    worst = Math.max(worst, shown(name, rows, times))
  }
  for (const [name, text] of Object.entries(sought)) {
    await measured(`search: ${name}`, `/api/search?q=${encodeURIComponent(text)}`)
  }
  const record = `/api/addresses/${encodeURIComponent(address)}`
  await measured('an address', record)
  await measured('messages to an address', `${record}/messages`)
  const list = `/api/domains/${filled.owner.domainId}/messages/count`
  for (const [name, query] of [
    ['all', ''],
    ['bounced', 'status=bounced'],
    ['deferred', 'recipient_status=deferred'],
    ['with a suppressed recipient', 'recipient_status=suppressed'],
    ['a frequent word', 'subject=receipt'],
  ] as const) {
    await measured(`count: ${name}`, `${list}?${query}`)
  }
  goal(`every search within ${LIST_MS} ms (p95)`, worst < LIST_MS)
}

async function charts(page: Page, { owner }: Filled): Promise<void> {
  const from = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString()
  const paths: Record<string, string> = {
    'a day by hour': '/api/stats',
    'a month by hour': `/api/stats?by=hour&from=${from(30)}`,
    'a month by day': '/api/stats?by=day',
    'a quarter by day': `/api/stats?by=day&from=${from(90)}`,
    'a month, of a stream': `/api/stats?by=day&domain_id=${owner.domainId}&stream=broadcast`,
    'a quarter by day and tag, and the one before': `/api/stats?by=day&from=${from(90)}&group_by=tag&previous=true`,
    'a month by hour and provider': `/api/stats?by=hour&from=${from(30)}&group_by=provider`,
    'deferred now': '/api/deferred',
    problems: '/api/problems',
  }
  let worst = 0
  for (const [name, path] of Object.entries(paths)) {
    const { rows, times } = await page.measure(path)
    worst = Math.max(worst, shown(name, rows, times))
  }
  goal(`every chart within ${CHART_MS} ms (p95)`, worst < CHART_MS)
}

/** Prints a line with response times, and returns the 95th percentile of these times. */
function shown(name: string, rows: number, times: readonly number[]): number {
  const p95 = quantile(times, 0.95)
  line(
    name,
    String(rows),
    figure(quantile(times, 0.5), 'ms'),
    figure(p95, 'ms'),
    figure(Math.max(...times), 'ms'),
  )
  return p95
}
