// Entry point of the measurements: `npm run bench -- NAME`, with a name from `MEASUREMENTS`.

import { runTool, WrongArgument } from '../test/support/tool.ts'
import { readOptions, USAGE } from './harness/options.ts'
import { machine } from './harness/report.ts'
import { measureAccept } from './measurements/accept.ts'
import { measureBulk } from './measurements/bulk.ts'
import { measureBytes } from './measurements/bytes.ts'
import { measureCheck } from './measurements/check.ts'
import { measureCompat } from './measurements/compat.ts'
import { measureDashboard } from './measurements/dashboard.ts'
import { measureDeliver } from './measurements/deliver.ts'
import { measureDeliverability } from './measurements/deliverability.ts'
import { measureExplain } from './measurements/explain.ts'
import { measureLists } from './measurements/lists.ts'
import { measurePair } from './measurements/pair.ts'
import { measurePartitions } from './measurements/partitions.ts'
import { measureRetention } from './measurements/retention.ts'
import { measureSmtp } from './measurements/smtp.ts'
import { measureTemplate } from './measurements/template.ts'
import { measureTracking } from './measurements/tracking.ts'
import { measureVerify } from './measurements/verify.ts'
import { measureWebhooks } from './measurements/webhooks.ts'
import { compare, record } from './record/record.ts'

const MEASUREMENTS = {
  accept: measureAccept,
  check: measureCheck,
  compat: measureCompat,
  smtp: measureSmtp,
  deliver: measureDeliver,
  template: measureTemplate,
  verify: measureVerify,
  dashboard: measureDashboard,
  explain: measureExplain,
  deliverability: measureDeliverability,
  bulk: measureBulk,
  partitions: measurePartitions,
  retention: measureRetention,
  bytes: measureBytes,
  lists: measureLists,
  tracking: measureTracking,
  webhooks: measureWebhooks,
  pair: measurePair,
  record,
  compare,
}

await runTool(USAGE, async (words) => {
  const { name, options } = readOptions(words)
  const measure = Object.entries(MEASUREMENTS).find(([known]) => known === name)?.[1]
  if (measure === undefined) {
    throw new WrongArgument(name === '' ? 'Name a measurement.' : `There is no measurement ${name}.`)
  }
  process.stdout.write(`${machine()}\n`)
  await measure(options)
  return undefined
})
