// The inbound port limits hostile mail, and stays open for the next message.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bounceSample } from '../../../src/dsn/samples.test-data.ts'
import type { TestApp } from '../../support/app.ts'
import { cpuWatch } from '../../support/cpu-time.ts'
import {
  bringBack,
  type HandedOver,
  handOver,
  knock,
  RETURN_PATH_HOST,
  show,
  startInbound,
} from '../../support/inbound.ts'

const MiB = 1024 * 1024
const DSN = bounceSample('Postfix: unknown user at RCPT').mail.toString('latin1')

let app: TestApp
let sent: HandedOver

before(async () => {
  app = await startInbound({
    env: {
      POSTRIDER_MAX_MESSAGE_BYTES: String(12 * MiB),
      POSTRIDER_INBOUND_MAX_MESSAGE_BYTES: String(12 * MiB),
    },
  })
  sent = await handOver(app)
})
after(async () => {
  assert.match(await bringBack(app, sent.returnPath, Buffer.from(DSN)), /^250 /)
  assert.equal((await show(app, sent.id)).status, 'bounced', 'a true bounce is still understood')
  await app.stop()
})

const nested = Array.from({ length: 1_000 }, (_, n) => {
  return `Content-Type: multipart/report; boundary=b${n}\r\n\r\n--b${n}\r\n`
}).join('')
const group = 'Final-Recipient: rfc822; jo@receiver.example\r\nAction: delayed\r\n\r\n'

const CASES: Record<string, readonly [mail: string, reply: RegExp]> = {
  'a header of 10 MB': [`Subject: ${'x'.repeat(10 * MiB)}\r\n\r\n`, /^250 /],
  'a thousand multiparts within each other': [`${nested}x\r\n`, /^250 /],
  'a list of a million recipients': [
    DSN.replace(/Final-Recipient[\s\S]*?\r\n\r\n/, group.repeat(100_000)),
    /^250 /,
  ],
  'a NUL': [DSN.replace('Subject', 'Sub\0ject'), /^550 5\.6\.0 /],
  'invalid UTF-8': [
    `Subject: \xff\xc3\x28\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\xed\xa0\x80\r\n`,
    /^250 /,
  ],
  'a bare LF': [DSN.replace('\r\n', '\n'), /^550 5\.6\.0 /],
  'more than a message can have': [
    'x'
      .repeat(60)
      .concat('\r\n')
      .repeat((14 * MiB) / 62),
    /^552 5\.3\.4 /,
  ],
  nothing: ['', /^250 /],
}

for (const [name, [mail, reply]] of Object.entries(CASES)) {
  test(name, async () => {
    const used = cpuWatch()
    assert.match(await bringBack(app, sent.returnPath, Buffer.from(mail, 'latin1')), reply)
    const took = used()
    assert.ok(took < 3_000, `${Math.round(took)} ms`)
    assert.equal((await show(app, sent.id)).status, 'delivered')
  })
}

test('a transaction has at most fifty recipients', async () => {
  const client = await knock(app)
  await client.ask('MAIL FROM:<>')
  const ids = await Promise.all(
    Array.from({ length: 3 }, () =>
      app.send({ to: Array.from({ length: 20 }, (_, n) => ({ email: `many${n}@receiver.example` })) }),
    ),
  )
  for (const id of ids) await app.messageIn(id, 'delivered')
  const paths = app.host.mails.filter(({ data }) => ids.some((id) => data.includes(id.slice(4))))
  const replies: string[] = []
  for (const { from } of paths) replies.push(await client.ask(`RCPT TO:<${from}>`))
  assert.deepEqual(
    [
      replies.filter((one) => one.startsWith('250')).length,
      replies.filter((one) => one.startsWith('452 4.5.3')).length,
    ],
    [50, 10],
  )
  client.vanish()
})

const WRONG_ENDS = [
  '\n.\n',
  '\n.\r\n',
  '\n.\r',
  '\r.\n',
  '\r.\r\n',
  '\r.\r',
  '\r\n.\n',
  '\r\n.\r',
  '\r\n.\r\r\n',
  '\r\n\0.\r\n',
  '\r\n.\0\r\n',
]
for (const end of WRONG_ENDS) {
  test(`${JSON.stringify(end)} does not end a message`, async () => {
    const client = await knock(app)
    await client.begin('', `postmaster@${RETURN_PATH_HOST}`)
    const smuggled = `MAIL FROM:<>\r\nRCPT TO:<${sent.returnPath}>\r\nDATA\r\n${DSN}`
    client.send(`Subject: x\r\n\r\nhello${end}${smuggled}\r\n.\r\n`)
    assert.match(await client.reply(), /^550 5\.6\.0 The message has a (?:CR or LF|NUL)/)
    assert.equal(await client.unread(20), '')
    assert.equal(await client.ask('NOOP'), '250 2.0.0 OK')
    assert.equal((await show(app, sent.id)).status, 'delivered')
    client.vanish()
  })
}
