// Work that waits for one worker: whoever has had it for the shortest time is next, and nobody fills the queue alone.

interface Waiting<Job> {
  readonly job: Job
  readonly weight: number
}

/** What one owner has waiting, and for how long they have had the worker. */
interface Line<Job> {
  readonly waiting: Waiting<Job>[]
  usedMs: number
  weight: number
}

/** The part of the queue that one owner may take. */
const SHARE = 1 / 4

/** Jobs by owner. Whose jobs take long waits until the others have had as much time, so that one owner stops nobody. */
export class FairQueue<Job> {
  readonly #most: number
  readonly #lines = new Map<string, Line<Job>>()
  #weight = 0
  /** What whoever comes anew is taken to have used: as much as whoever was served last. */
  #floorMs = 0

  /** @param most what all that waits may weigh together */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether the job is taken; not so when the queue, or the owner's share of it, is full. */
  add(owner: string, job: Job, weight: number): boolean {
    const line = this.#lines.get(owner) ?? { waiting: [], usedMs: this.#floorMs, weight: 0 }
    if (this.#weight + weight > this.#most || line.weight + weight > this.#most * SHARE) return false
    line.waiting.push({ job, weight })
    line.weight += weight
    this.#weight += weight
    this.#lines.set(owner, line)
    return true
  }

  /** Takes the job that is next. */
  next(): { readonly owner: string; readonly job: Job } | undefined {
    let next: [owner: string, line: Line<Job>] | undefined
    for (const [owner, line] of this.#lines) {
      if (line.waiting.length > 0 && (next === undefined || line.usedMs < next[1].usedMs))
        next = [owner, line]
    }
    const taken = next?.[1].waiting.shift()
    if (next === undefined || taken === undefined) return undefined
    const [owner, line] = next
    line.weight -= taken.weight
    this.#weight -= taken.weight
    this.#floorMs = Math.max(this.#floorMs, line.usedMs)
    return { owner, job: taken.job }
  }

  /** Charges an owner for the time that a job has taken, and forgets those who are owed nothing. */
  used(owner: string, ms: number): void {
    const used = this.#lines.get(owner)
    if (used !== undefined) used.usedMs += ms
    for (const [name, { waiting, usedMs }] of this.#lines) {
      if (waiting.length === 0 && usedMs <= this.#floorMs) this.#lines.delete(name)
    }
  }

  /** Takes all that waits. */
  drain(): Job[] {
    const all = [...this.#lines.values()].flatMap(({ waiting }) => waiting.map(({ job }) => job))
    this.#lines.clear()
    this.#weight = 0
    return all
  }
}
