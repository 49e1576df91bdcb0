// Attack: clients list suppressions by filters that match no suppression, so that each request scans all 100,000 rows.

import { fillSuppressions } from '../fill.ts'
import { readFlood } from '../read-flood.ts'

export const recipe = readFlood({
  sentence: '64 clients search 100,000 suppressions by filters that match none.',
  fill: fillSuppressions,
  key: 'sendingKey',
  paths: [
    '/v1/suppressions?reason=complaint',
    '/v1/suppressions?email=nobody',
    '/v1/suppressions?origin=recipient',
  ],
})
