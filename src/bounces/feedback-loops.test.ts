// Recognition of the senders of feedback loops by DKIM and SPF.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FeedbackLoops } from './feedback-loops.ts'

const MAIL = {
  ...{ address: '192.0.2.1', helo: 'x.example', from: '' },
  content: Buffer.from('From: fbl@isp.example\r\n\r\na\r\n'),
}
const SIGNED = { result: 'pass', domain: 'isp.example', selector: 's', aligned: true }

const isBelieved = (signature: typeof SIGNED & { partial?: true }): Promise<boolean> =>
  new FeedbackLoops(['isp.example'], async () => ({
    dkim: [signature],
    spf: { result: 'none', domain: null },
  })).isFromListed(MAIL)

test('a signature proves a report only where it covers the whole body', async () => {
  assert.equal(await isBelieved(SIGNED), true)
  assert.equal(await isBelieved({ ...SIGNED, partial: true }), false)
})
