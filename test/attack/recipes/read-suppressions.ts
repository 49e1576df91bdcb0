// Lists suppressions by conditions that none of a hundred thousand meets, so that each request scans all of them.

import { fillSuppressions } from '../fill.ts'
import { readFlood } from '../read-flood.ts'

export const recipe = readFlood({
  sentence: '64 clients look through 100,000 suppressions by conditions that none meets.',
  fill: fillSuppressions,
  key: 'sendingKey',
  paths: [
    '/v1/suppressions?reason=complaint',
    '/v1/suppressions?email=nobody',
    '/v1/suppressions?origin=recipient',
  ],
})
