// Attack: clients read the sending statistics of 90 days by tag; each request sums a hundred thousand rows.

import { fillFigures } from '../fill.ts'
import { readFlood } from '../read-flood.ts'

const from = new Date(Date.now() - 89 * 86_400_000).toISOString()

export const recipe = readFlood({
  sentence: '64 clients read the statistics of a quarter by tag, from 108,000 rows.',
  fill: fillFigures,
  key: 'sendingKey',
  paths: [`/v1/stats?by=day&group_by=tag&from=${from}`, `/v1/stats?by=day&tag=tag7&from=${from}`],
})
