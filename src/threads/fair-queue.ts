// A fair queue for few workers: the owner with the least worker time is next, and no single owner can fill the queue.

interface Waiting<Job> {
  readonly job: Job
  readonly weight: number
}

/** Waiting jobs of one owner, and the worker time that the owner has used so far. */
interface Line<Job> {
  waiting: Waiting<Job>[]
  usedMs: number
  weight: number
}

/** Share of the queue that one owner may take. */
const SHARE = 1 / 4

/**
 * Queue of jobs by owner. An owner with long jobs waits until the other owners have used as much time, so that no owner
 * blocks another owner.
 */
export class FairQueue<Job> {
  readonly #maxWeight: number
  readonly #lines = new Map<string, Line<Job>>()
  #weight = 0
  /** Worker time with which a new owner starts, equal to the time of the owner served last. */
  #floorMs = 0

  /** @param maxWeight maximum total weight of waiting jobs */
  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight
  }

  /** Adds a job; returns false if the queue, or the share of the owner, is full. */
  add(owner: string, job: Job, weight: number): boolean {
    const line = this.#lines.get(owner) ?? { waiting: [], usedMs: this.#floorMs, weight: 0 }
    const share = this.#maxWeight * SHARE
    if (this.#weight + weight > this.#maxWeight || line.weight + weight > share) return false
    line.waiting.push({ job, weight })
    line.weight += weight
    this.#weight += weight
    this.#lines.set(owner, line)
    return true
  }

  /**
   * Takes the next job.
   * @param isBusy returns true for owners whose jobs are skipped now; its second argument is the owner's first job
   */
  next(
    isBusy: (owner: string, first: Job) => boolean = () => false,
  ): { readonly owner: string; readonly job: Job } | undefined {
    let next: [owner: string, line: Line<Job>] | undefined
    for (const [owner, line] of this.#lines) {
      const first = line.waiting[0]
      if (first === undefined || isBusy(owner, first.job)) continue
      if (next === undefined || line.usedMs < next[1].usedMs) next = [owner, line]
    }
    const taken = next?.[1].waiting.shift()
    if (next === undefined || taken === undefined) return undefined
    const [owner, line] = next
    line.weight -= taken.weight
    this.#weight -= taken.weight
    this.#floorMs = Math.max(this.#floorMs, line.usedMs)
    return { owner, job: taken.job }
  }

  /**
   * Charges an owner for the time of a job, and removes owners that have no waiting jobs and no more used time than a
   * new owner.
   */
  used(owner: string, ms: number): void {
    const used = this.#lines.get(owner)
    if (used !== undefined) used.usedMs += ms
    for (const [name, { waiting, usedMs }] of this.#lines) {
      if (waiting.length === 0 && usedMs <= this.#floorMs) this.#lines.delete(name)
    }
  }

  /** Removes the jobs of an owner whose results are no longer awaited. */
  drop(owner: string, isGone: (job: Job) => boolean): Job[] {
    const line = this.#lines.get(owner)
    if (line === undefined) return []
    const gone = line.waiting.filter(({ job }) => isGone(job))
    if (gone.length === 0) return []
    const weight = gone.reduce((sum, one) => sum + one.weight, 0)
    line.waiting = line.waiting.filter((one) => !gone.includes(one))
    line.weight -= weight
    this.#weight -= weight
    return gone.map(({ job }) => job)
  }

  /** Removes and returns all waiting jobs. */
  drain(): Job[] {
    const all = [...this.#lines.values()].flatMap(({ waiting }) => waiting.map(({ job }) => job))
    this.#lines.clear()
    this.#weight = 0
    return all
  }
}
