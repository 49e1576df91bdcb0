// Attack: clients download CSV exports of all messages, of all suppressions, and of the delivered messages.

import { fillMessages, fillSuppressions } from '../fill.ts'
import { readFlood } from '../read-flood.ts'

export const recipe = readFlood({
  sentence: '64 clients export 50,000 messages and 100,000 suppressions.',
  async fill(place) {
    await fillMessages(place)
    await fillSuppressions(place)
  },
  key: 'sendingKey',
  paths: [
    '/v1/messages?format=csv',
    '/v1/suppressions?format=csv',
    '/v1/messages?format=csv&status=delivered',
  ],
})
