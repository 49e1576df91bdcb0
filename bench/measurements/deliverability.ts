// Measures the response times of the page of deliverability, with the counts of ten million messages in the store.

import { COUNTS_KEPT_MS, closeIncident, openIncident } from '../../src/store/incidents/incidents.ts'
import { HOUR_MS } from '../../src/store/readers/message-counts.ts'
import { settled } from '../../test/support/store.ts'
import { Page } from '../harness/dashboard-page.ts'
import { fillings, incidents } from '../harness/deliverability-fill.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, quantile } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'

const MESSAGES = 10_000_000
const TIMES = 100
/** Number of requests for the longest period, which the page does not ask for. */
const FEW_TIMES = 10
const GOAL_MS = 300

/** Runs the measurement `npm run bench -- deliverability`. */
export async function measureDeliverability(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const node = await rig.node('api,dashboard')
    const store = await rig.openStore()
    const { id: domainId, account_id: accountId } = await store.read
      .selectFrom('domains')
      .select(['id', 'account_id'])
      .executeTakeFirstOrThrow()
    const owner = { accountId, domainId }
    const [count, now] = [options.queued ?? MESSAGES, Date.now()]
    const startedAt = performance.now()
    for (const statement of fillings(owner, count, now)) await rig.execute(statement)
    let open = ''
    for (const { isOpen, ...incident } of incidents(owner, now)) {
      const { incidentId } = await store.write(openIncident, incident)
      if (isOpen) open = incidentId
      else {
        const { name, beganAt: endedAt } = incident
        await store.write(closeIncident, { domainId, name, endedAt, now })
      }
    }
    await settled(store)
    if (options.database === 'postgres') await rig.execute('vacuum analyze')
    await store.close()
    heading(`deliverability: counts of ${count} messages in the store, ${options.database}`)
    line('filled', figure((performance.now() - startedAt) / 1000, 's'))
    await measurePage(await Page.open(node), open, now)
  } finally {
    await rig.close()
  }
}

async function measurePage(page: Page, open: string, now: number): Promise<void> {
  const calls: Readonly<Record<string, string>> = {
    providers: '/api/deliverability',
    incidents: '/api/incidents',
    'an incident': `/api/incidents/${open}`,
    'problems of the home page': '/api/problems',
  }
  line('', 'p50', 'p99', 'longest')
  let worst = 0
  for (const [name, path] of Object.entries(calls))
    worst = Math.max(worst, await shown(page, name, path, TIMES))
  goal(`every response within ${GOAL_MS} ms (p99)`, worst < GOAL_MS)
  const from = new Date(now - COUNTS_KEPT_MS + HOUR_MS).toISOString()
  await shown(page, 'API: providers, 35 days', `/api/deliverability?from=${from}`, FEW_TIMES)
}

/** Prints a line with the response times of a call, and returns their 99th percentile. */
async function shown(page: Page, name: string, path: string, count: number): Promise<number> {
  const { times } = await page.measure(path, count)
  const p99 = quantile(times, 0.99)
  line(name, ...[quantile(times, 0.5), p99, Math.max(...times)].map((time) => figure(time, 'ms')))
  return p99
}
