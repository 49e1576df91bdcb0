// Program of a test process: loads the files of one group, each file in its own suite.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { useReadyMadeKeys } from '../support/ready-made-keys.ts'
import { THOROUGH } from '../support/thorough.ts'
import { recordProcess, recordTests } from './costs.ts'
import { originsOfTimers, recordTimers } from './pending-timers.ts'
import { type Group, ROOT } from './plan.ts'

/**
 * Time after the last test within which the process has to end; otherwise the process fails, because a test may have
 * left a service running. The time is longer than the one-minute timers that may still be pending after the last test.
 */
const END_WITHIN_MS = Number(process.env.TEST_END_WITHIN_MS ?? 90_000)

const group = JSON.parse(process.argv.at(-1) ?? '') as Group
const require = createRequire(import.meta.url)

process.env.TEST_DATABASE = group.database
useReadyMadeKeys()
recordTimers()
const { TEST_RUN_DIR: runDir } = process.env
if (runDir !== undefined) {
  const { recordStatements } = await import('./statements.ts')
  recordStatements(runDir)
  recordProcess(group)
}
if (group.browser) {
  const { startBrowser, stopBrowser } = await import('../support/browser/browser.ts')
  before(startBrowser)
  after(stopBrowser)
}
for (const file of group.files) {
  const tags = group.marked.includes(file) ? [THOROUGH] : []
  // Each file has its own suite, so that the hooks of a file apply only to the tests of the file.
  describe(file, { tags }, () => {
    recordTests(group, file)
    require(join(ROOT, file))
  })
}
after(() => void setTimeout(failUnended, END_WITHIN_MS).unref())

function failUnended(): void {
  console.error(`Still running after the last test: ${process.getActiveResourcesInfo().join(', ')}`)
  console.error(originsOfTimers())
  process.exit(1)
}
