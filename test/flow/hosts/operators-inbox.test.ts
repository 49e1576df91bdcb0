// Returned mail that no rule recognises is kept for the operator, who reads it on the command line.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { run } from '../../../src/cli/run.ts'
import { plainMail } from '../../../src/dsn/sample-mail.test-data.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import type { TestApp } from '../../support/app.ts'
import { bringBack, handOver, RETURN_PATH_HOST, show, startInbound } from '../../support/inbound.ts'

let app: TestApp
before(async () => {
  app = await startInbound()
})
after(() => app.stop())

async function inbox(...words: string[]) {
  const env = {
    POSTRIDER_DATA_DIR: app.storage.dataDir,
    ...(app.storage.databaseUrl === undefined ? {} : { POSTRIDER_DATABASE_URL: app.storage.databaseUrl }),
  }
  const result = await run(['inbox', ...words], { env, clock: systemClock, readInput: async () => '' })
  return { ...result, json: words.includes('--json') ? JSON.parse(result.stdout) : undefined }
}

test('a letter to postmaster and an unrecognised mail can be read', async () => {
  assert.match((await inbox('list')).stdout, /^The inbox is empty\./)
  const { id, returnPath } = await handOver(app)
  const before = await show(app, id)
  const letter = (subject: string, text: string): Buffer =>
    plainMail({ from: 'Jo <jo@receiver.example>', subject, text })
  const address = `postmaster@${RETURN_PATH_HOST}`
  assert.match(
    await bringBack(app, address, letter('You are blocked', 'Hello\x1b[2J'), 'jo@receiver.example'),
    /^250 /,
  )
  const long = letter('=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'A reply of a person.\r\n'.repeat(4_000))
  assert.match(await bringBack(app, returnPath, long), /^250 /)
  assert.deepEqual(await show(app, id), before)

  const { data } = (await inbox('list', '--json')).json
  assert.deepEqual(
    data.map((one: Record<string, unknown>) => [one.mail_from, one.rcpt_to, one.subject]),
    [
      ['', returnPath, 'Grüße'],
      ['jo@receiver.example', address, 'You are blocked'],
    ],
  )
  assert.match((await inbox('list')).stdout, /You are blocked/)
  const first = await inbox('show', data[1].mail_id)
  assert.match(first.stdout, /Subject: You are blocked/)
  assert.match(first.stdout, /Hello\\x1b\[2J/, 'it cannot steer the terminal')
  const { json } = await inbox('show', data[0].mail_id, '--json')
  assert.deepEqual([json.raw.length, json.size > 80_000], [64 * 1024, true])
  assert.match((await inbox('show', data[0].mail_id)).stdout, /\(the first 65536 of \d+ bytes\)/)
  assert.equal((await inbox('show', 'inb_nothing')).code, 1)
})

test('the figures contain the counts', async () => {
  const figures = await (await fetch(new URL('/metrics', app.app.url))).text()
  assert.match(figures, /^postrider_returned_mails_total\{result="kept"\} 2$/m)
})
