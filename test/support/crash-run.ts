// Kills a loaded node again and again, and counts what became of every message that it had accepted.

import { DnsHost } from './dns-host.ts'
import { Answers, arrivals, LoadedNode } from './loaded-node.ts'
import { MailHost } from './mail-host.ts'
import type { HostMail } from './mail-host-script.ts'
import { type DatabaseName, testStorage } from './store.ts'

/** What a run showed. `lost` and `otherMessageIds` must be zero. */
export interface CrashFigures {
  readonly kills: number
  /** Messages whose 202 or 250 was seen. */
  readonly accepted: number
  readonly acceptedOverSmtp: number
  /** Distinct messages that reached the receiving host. */
  readonly delivered: number
  /** Accepted, and neither delivered nor still in the queue at the end. */
  readonly lost: number
  /** Deliveries beyond the first of a message. */
  readonly duplicates: number
  /** The same by the kill that followed the message's first delivery. */
  readonly duplicatesByKill: readonly number[]
  /** Duplicates that do not have the Message-ID of the first delivery. */
  readonly otherMessageIds: number
  /** Delivered though no answer was seen: the node died between its commit and the answer. */
  readonly unacknowledged: number
  /** The longest time from a start to the first answer, in milliseconds. */
  readonly slowestStartMs: number
}

/** The names that a loaded node asks for. */
export const CRASH_ZONE = { '*.example': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } }

/** Runs it: each round starts the node, loads it over HTTP and SMTP, and kills its whole process group. */
export async function runCrashes(kills: number, database: DatabaseName): Promise<CrashFigures> {
  const host = await MailHost.start()
  const dns = await DnsHost.start(CRASH_ZONE)
  const storage = await testStorage(database)
  const node = await LoadedNode.in(storage, host, dns)
  const answers = new Answers()
  /** How many had been delivered at each kill. */
  const deliveredAt: number[] = []
  let slowestStartMs = 0
  try {
    for (let round = 0; round < kills; round++) {
      slowestStartMs = Math.max(slowestStartMs, await node.start())
      const load = await node.load(answers)
      await node.killAfter(600 + Math.random() * 1_900)
      await load.stop()
      deliveredAt.push(host.mails.length)
    }
    await node.start()
    const underWay = await node.settle(host, answers.accepted)
    return {
      kills,
      ...arrivalFigures(answers, host, underWay),
      ...duplicateFigures(host, deliveredAt),
      slowestStartMs,
    }
  } finally {
    await node.kill()
    await Promise.all([host.stop(), dns.stop()])
    await storage.remove()
  }
}

/** What became of all that was accepted. */
export function arrivalFigures(answers: Answers, host: MailHost, underWay: ReadonlySet<string>) {
  const ids = [...answers.accepted.keys()]
  const delivered = new Set(arrivals(host))
  return {
    accepted: ids.length,
    acceptedOverSmtp: answers.acceptedBy('smtp'),
    delivered: delivered.size,
    lost: ids.filter((id) => !delivered.has(id) && !underWay.has(id)).length,
    unacknowledged: [...delivered].filter((id) => !answers.accepted.has(id)).length,
  }
}

/** What came more than once; `deliveredAt`: how many deliveries there had been at each kill. */
function duplicateFigures(host: MailHost, deliveredAt: readonly number[]) {
  const first = new Map<string, number>()
  const byKill = deliveredAt.map(() => 0)
  let otherMessageIds = 0
  for (const [index, id] of arrivals(host).entries()) {
    const before = first.get(id)
    if (before === undefined) {
      first.set(id, index)
      continue
    }
    const kill = deliveredAt.findIndex((count) => before < count)
    if (kill >= 0) byKill[kill]!++
    if (messageId(host.mails[index]!) !== messageId(host.mails[before]!)) otherMessageIds++
  }
  return { duplicates: host.mails.length - first.size, duplicatesByKill: byKill, otherMessageIds }
}

function messageId({ data }: HostMail): string {
  const found = /^Message-ID:\s*(<[^>]+>)/im.exec(data.toString('latin1'))?.[1]
  if (found === undefined) throw new Error('a message without a Message-ID was delivered')
  return found
}
