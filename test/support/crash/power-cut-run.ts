// Cuts the power under a loaded node on a separate disk, and checks the data on the disk afterwards.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DnsHost } from '../dns-host.ts'
import { arrivalFigures, CRASH_ZONE } from './crash-run.ts'
import { Answers, LoadedNode } from './loaded-node.ts'
import { Receiver } from './receiver.ts'

/** Figures of all power cuts of a run together. */
export interface PowerCutFigures {
  readonly cuts: number
  readonly accepted: number
  readonly acceptedOverSmtp: number
  readonly delivered: number
  /** Number of accepted messages that are neither delivered nor in the queue at the end. */
  readonly lost: number
  /** Number of deliveries after the first delivery of a message. */
  readonly again: number
  /**
   * Number of cuts after which the node started, accepted a message over HTTP, and accepted a message over SMTP with
   * STARTTLS.
   */
  readonly started: number
  readonly http: number
  readonly smtp: number
  readonly slowestStartMs: number
}

const SIZE = '192M'
/**
 * Maximum number of attempts to copy the disk; a copy is consistent only if nothing was written to the disk during the
 * copy.
 */
const MAX_COPIES = 50
const run = promisify(execFile)

/**
 * Creates a new ext4 file system for each cut, and starts a node on it under load. A copy of the disk is taken `fromMs`
 * to `toMs` after the start, without data that the node has not synced; another node then starts from the copy. Returns
 * a reason instead of figures if no disk image can be mounted.
 */
export async function runPowerCuts(
  cuts: number,
  [fromMs, toMs]: readonly [number, number] = [0, 15_000],
): Promise<PowerCutFigures | string> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-power-cut-'))
  try {
    const refused = await canMount(directory)
    if (refused !== undefined) return refused
    const figures: Omit<PowerCutFigures, 'cuts'>[] = []
    for (let cut = 0; cut < cuts; cut++) {
      figures.push(await cutOnce(directory, fromMs + Math.random() * (toMs - fromMs)))
    }
    const sum = (name: keyof (typeof figures)[number]): number =>
      figures.reduce((total, one) => total + one[name], 0)
    return {
      cuts,
      accepted: sum('accepted'),
      acceptedOverSmtp: sum('acceptedOverSmtp'),
      delivered: sum('delivered'),
      lost: sum('lost'),
      again: sum('again'),
      started: sum('started'),
      http: sum('http'),
      smtp: sum('smtp'),
      slowestStartMs: Math.max(...figures.map((one) => one.slowestStartMs)),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function cutOnce(directory: string, afterMs: number): Promise<Omit<PowerCutFigures, 'cuts'>> {
  const disk = new Disk(directory)
  const host = await Receiver.start()
  const dns = await DnsHost.start(CRASH_ZONE)
  const storage = { dataDir: join(disk.mountPoint, 'data'), databaseUrl: undefined }
  await disk.make()
  const node = await LoadedNode.in(storage, host, dns)
  const answers = new Answers()
  try {
    const began = Date.now()
    await node.start()
    const load = await node.load(answers)
    await sleep(Math.max(0, afterMs - (Date.now() - began)))
    node.freeze()
    await disk.copy()
    // Responses that are still in sockets count, because the node sent them before the cut.
    await Promise.all([sleep(50), node.kill()])
    await load.stop()
    const before = new Set(answers.accepted.keys())
    await disk.cut()
    const slowestStartMs = await node.start()
    const secondLoad = await node.load(answers)
    await sleep(1_500)
    await secondLoad.stop()
    const after = [...answers.accepted].filter(([id]) => !before.has(id))
    const underWay = await node.settle(host, answers.accepted)
    const figures = arrivalFigures(answers, host, underWay)
    return {
      ...figures,
      again: host.arrivals.length - figures.delivered,
      started: 1,
      http: after.some(([, { door }]) => door === 'http') ? 1 : 0,
      smtp: after.some(([, { door }]) => door === 'smtp') ? 1 : 0,
      slowestStartMs,
    }
  } finally {
    await node.kill()
    await Promise.all([host.stop(), dns.stop()])
    await disk.remove()
  }
}

async function canMount(directory: string): Promise<string | undefined> {
  const disk = new Disk(directory)
  try {
    await disk.make()
    return undefined
  } catch (error) {
    return `Skipped: this process cannot mount a disk image, which requires root on Linux, loop devices and mkfs.ext4 (${(error as Error).message.trim()}).`
  } finally {
    await disk.remove()
  }
}

/** An ext4 file system in a disk image. */
class Disk {
  readonly #image: string
  readonly #copied: string
  readonly mountPoint: string
  #mounted = false

  constructor(directory: string) {
    this.#image = join(directory, 'disk')
    this.#copied = join(directory, 'copied')
    this.mountPoint = join(directory, 'mounted')
  }

  async make(): Promise<void> {
    await run('truncate', ['-s', SIZE, this.#image])
    await run('mkfs.ext4', ['-q', this.#image])
    await run('mkdir', ['-p', this.mountPoint])
    await this.#mount()
  }

  /** Copies the disk image at a moment without writes. */
  async copy(): Promise<void> {
    const { stdout } = await run('findmnt', ['-n', '-o', 'SOURCE', this.mountPoint])
    const statistics = `/sys/block/${basename(stdout.trim())}/stat`
    for (let copies = 0; copies < MAX_COPIES; copies++) {
      const before = await readFile(statistics, 'utf8')
      await run('cp', ['--sparse=always', this.#image, this.#copied])
      if ((await readFile(statistics, 'utf8')) === before) return
    }
    throw new Error('there was no moment without writes to the disk')
  }

  /** Replaces the disk image by the copy. */
  async cut(): Promise<void> {
    await this.#unmount()
    await rename(this.#copied, this.#image)
    await this.#mount()
  }

  async remove(): Promise<void> {
    await this.#unmount()
    await rm(this.#image, { force: true })
  }

  async #mount(): Promise<void> {
    await run('mount', ['-o', 'loop', this.#image, this.mountPoint])
    this.#mounted = true
  }

  async #unmount(): Promise<void> {
    if (this.#mounted) await run('umount', [this.mountPoint])
    this.#mounted = false
  }
}
