// The measurements' way in: `npm run bench -- accept|smtp|deliver|template|verify|dashboard|record|compare`.

import { measureAccept } from './accept.ts'
import { measureDashboard } from './dashboard.ts'
import { measureDeliver } from './deliver.ts'
import { HELP, readOptions } from './options.ts'
import { compare, record } from './record.ts'
import { machine } from './report.ts'
import { measureSmtp } from './smtp.ts'
import { measureTemplate } from './template.ts'
import { measureVerify } from './verify.ts'

const MEASUREMENTS = {
  accept: measureAccept,
  smtp: measureSmtp,
  deliver: measureDeliver,
  template: measureTemplate,
  verify: measureVerify,
  dashboard: measureDashboard,
  record,
  compare,
}

try {
  const { name, options } = readOptions(process.argv.slice(2))
  const measure = Object.entries(MEASUREMENTS).find(([known]) => known === name)?.[1]
  if (measure === undefined) {
    process.stdout.write(HELP)
    process.exitCode = 1
  } else {
    process.stdout.write(`${machine()}\n`)
    await measure(options)
  }
} catch (error) {
  process.stderr.write(`${(error as Error).stack}\n`)
  process.exitCode = 1
}
