// Measures the response times of the page of deliverability, with the counts of ten million messages in the store.

import { closeIncident, openIncident } from '../../src/store/incidents/incidents.ts'
import { settled } from '../../test/support/store.ts'
import { Page } from '../harness/dashboard-page.ts'
import { fillings, incidents } from '../harness/deliverability-fill.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, quantile } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'

const MESSAGES = 10_000_000
const TIMES = 100
const GOAL_MS = 300
const DAY_MS = 86_400_000

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
  const from = new Date(now - 35 * DAY_MS + 2 * 3_600_000).toISOString()
  const paths: Readonly<Record<string, string>> = {
    'providers, seven days': '/api/deliverability',
    'providers of a stream': '/api/deliverability?stream=broadcast',
    'providers, 35 days': `/api/deliverability?from=${from}`,
    incidents: '/api/incidents',
    'an incident': `/api/incidents/${open}`,
    'problems of the home page': '/api/problems',
  }
  line('', 'rows', 'p50', 'p99', 'longest')
  let worst = 0
  for (const [name, path] of Object.entries(paths)) {
    const { rows, times } = await page.measure(path, TIMES)
    const p99 = quantile(times, 0.99)
    worst = Math.max(worst, p99)
    line(
      name,
      ...[String(rows), figure(quantile(times, 0.5), 'ms'), figure(p99, 'ms')],
      figure(Math.max(...times), 'ms'),
    )
  }
  goal(`every response within ${GOAL_MS} ms (p99)`, worst < GOAL_MS)
}
