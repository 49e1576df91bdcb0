// Fills the disk under a loaded node and frees space again: checks the refusals, and the time until the node accepts
// mail again.

import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DnsHost } from '../dns-host.ts'
import { arrivalFigures, CRASH_ZONE } from './crash-run.ts'
import { Answers, type Door, LoadedNode } from './loaded-node.ts'
import { Receiver } from './receiver.ts'

/** Figures of a run. */
export interface DiskFullFigures {
  /** Number of messages that the service accepted with 202 or 250. */
  readonly accepted: number
  readonly acceptedOverSmtp: number
  /** Number of refusals for each protocol and code; only `http 503` and `smtp 452` are correct. */
  readonly refused: Readonly<Record<string, number>>
  /** Milliseconds from the moment at which space is free to the first accepted message, for each protocol. */
  readonly acceptedAgainMs: Readonly<Record<Door, number>>
  readonly delivered: number
  /** Number of accepted messages that are neither delivered nor in the queue at the end. */
  readonly lost: number
  /** True if the process that was started first is still running. */
  readonly withoutRestart: boolean
}

const SIZE_MIB = 192
/** Free space next to the ballast file, in MiB, so that the node itself fills the disk while it works. */
const LEFT_MIB = 8
const FULL_MS = 5_000
const FREED_MS = 5_000
const MIB = 1_048_576
const run = promisify(execFile)

/** Runs the test on a new tmpfs; returns a reason instead of figures if no tmpfs can be mounted. */
export async function runDiskFull(): Promise<DiskFullFigures | string> {
  const mountPoint = await mkdtemp(join(tmpdir(), 'postrider-disk-full-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'postrider-disk-full', mountPoint])
  } catch (error) {
    await rm(mountPoint, { recursive: true })
    return `Skipped: this process cannot mount a tmpfs, which requires root on Linux (${(error as Error).message.trim()}).`
  }
  try {
    return await fillAndFree(mountPoint)
  } finally {
    await run('umount', [mountPoint])
    await rm(mountPoint, { recursive: true })
  }
}

async function fillAndFree(mountPoint: string): Promise<DiskFullFigures> {
  const host = await Receiver.start()
  const dns = await DnsHost.start(CRASH_ZONE)
  const storage = { dataDir: join(mountPoint, 'data'), databaseUrl: undefined }
  const node = await LoadedNode.in(storage, host, dns, { POSTRIDER_LOG_LEVEL: 'silent' })
  const answers = new Answers()
  try {
    await node.start()
    const load = await node.load(answers)
    await sleep(1_000)
    const ballast = join(mountPoint, 'ballast')
    await fill(mountPoint, ballast)
    await sleep(FULL_MS)
    await rm(ballast)
    const freedAt = Date.now()
    await sleep(FREED_MS)
    await load.stop()
    const underWay = await node.settle(host, answers.accepted)
    return {
      ...arrivalFigures(answers, host, underWay),
      refused: Object.fromEntries(answers.refused),
      acceptedAgainMs: {
        http: answers.firstAfter('http', freedAt),
        smtp: answers.firstAfter('smtp', freedAt),
      },
      withoutRestart: node.running,
    }
  } finally {
    await node.kill()
    await Promise.all([host.stop(), dns.stop()])
  }
}

/** Writes a ballast file that leaves only a few MiB of free space. */
async function fill(mountPoint: string, path: string): Promise<void> {
  const { bavail, bsize } = await statfs(mountPoint)
  const file = await open(path, 'w')
  const block = Buffer.alloc(MIB)
  for (let left = Math.floor((bavail * bsize) / MIB) - LEFT_MIB; left > 0; left--) await file.write(block)
  await file.close()
}
