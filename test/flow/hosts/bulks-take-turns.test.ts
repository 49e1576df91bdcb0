// No account waits for the end of another account's bulk, even if the template is slow; a cancellation does not wait
// either.

// thorough: takes 3 CPU seconds for several large bulks; the tests in src/bulk cover the order of bulks

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, TestApp } from '../../support/app.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { until } from '../../support/test-clock.ts'

/** Number of slow bulks: more bulks than a node runs at once, and all of them are still running when the test ends. */
const SLOW_BULKS = 2
const SLOW_ROWS = 2_000
const SLOW = {
  ...{ alias: 'slow', name: 'Slow', subject: 'For {{name}}', inline_css: true },
  html: `<style>b~i{color:red}</style><b></b>{{name}}${'<i></i>'.repeat(5_000)}`,
}

let app: TestApp
before(async () => {
  app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
})
after(() => app.stop())

const call = (
  { sendingKey }: Tenant,
  method: string,
  path: string,
  body?: object | string,
): Promise<Answer> =>
  app.call(method, path, body, {
    authorization: `Bearer ${sendingKey}`,
    ...(typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {}),
  })

async function begin(tenant: Tenant, message: object, rows: number): Promise<string> {
  const lines = [
    { from: `a@${tenant.domain.name}`, ...message },
    ...Array.from({ length: rows }, (_, row) => ({
      to: `r${row}@receiver.example`,
      template_model: { name: row },
    })),
  ]
  const body = lines.map((line) => JSON.stringify(line)).join('\n')
  const answer = await call(tenant, 'POST', '/v1/bulk', body)
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return answer.body.bulk_id
}

const statusOf = async (tenant: Tenant, id: string): Promise<string> =>
  (await call(tenant, 'GET', `/v1/bulk/${id}`)).body.status

test('bulks take turns, and cancellations go before them', async () => {
  const [honest, ...slow] = await Promise.all(
    Array.from({ length: 1 + SLOW_BULKS }, () => createTenant(app.store)),
  )
  assert.ok(honest !== undefined)
  const later = { subject: 'Later', text: 'x', send_at: new Date(Date.now() + 3_600_000).toISOString() }
  const scheduled = await begin(honest, later, 3)
  await until(
    'the scheduled bulk has accepted its rows',
    async () => (await statusOf(honest, scheduled)) === 'done',
  )
  const long = await Promise.all(
    slow.map(async (tenant) => {
      assert.equal((await call(tenant, 'POST', '/v1/templates', SLOW)).status, 201)
      return { tenant, id: await begin(tenant, { template_alias: SLOW.alias }, SLOW_ROWS) }
    }),
  )
  for (const { tenant, id } of long) {
    await until('the slow bulk is running', async () => (await statusOf(tenant, id)) === 'running')
  }
  const quick = await begin(honest, { subject: 'For {{name}}', text: 'x' }, 3)
  assert.equal((await call(honest, 'POST', `/v1/bulk/${scheduled}/cancel`)).status, 200)
  await until(
    'the scheduled bulk is cancelled',
    async () => (await statusOf(honest, scheduled)) === 'cancelled',
  )
  await until('the quick bulk is done', async () => (await statusOf(honest, quick)) === 'done')
  for (const { tenant, id } of long) assert.notEqual(await statusOf(tenant, id), 'done')
})
