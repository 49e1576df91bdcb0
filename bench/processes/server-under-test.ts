// Runs a Postrider node in its own process on free ports, with the settings that an operator would set.

import { loadConfig } from '../../src/config/load.ts'
import { createLog } from '../../src/lib/log.ts'
import { type App, startApp } from '../../src/node/node.ts'
import type { PlaygroundFile } from '../../src/playground/setup.ts'
import { AdvancingClock } from '../harness/advancing-clock.ts'
import { answerParent } from '../harness/child.ts'
import { measuredCalls } from '../harness/process-figures.ts'

/** Addresses and credentials of a running node. */
export interface Started {
  readonly url: string
  readonly smtpPort: number | undefined
  readonly playground: PlaygroundFile
}

const clock = new AdvancingClock()
let app: App | undefined

/** Starts a node with these settings; no other environment variables are read. */
async function start(settings: Readonly<Record<string, string>>): Promise<Started> {
  const config = loadConfig(settings)
  app = await startApp(config, createLog(config.logLevel), clock)
  const { url, smtpPort, playground } = app
  if (playground === undefined) throw new Error('only the playground can be measured')
  return { url, smtpPort, playground }
}

/** Advances the node's clock by a number of milliseconds. */
const advance = (ms: number): void => clock.advance(ms)

const calls = { start, advance, ...measuredCalls }
export type ServerUnderTestCalls = typeof calls
answerParent(calls, () => app?.stop())
