// Runs one attack: starts the service, attacks the service while an honest tenant uses the service, and measures the
// effects on both.

import { setTimeout as sleep } from 'node:timers/promises'
import { runLoad } from './load.ts'
import type { Answered, Bounds, Recipe } from './recipe.ts'
import { Target } from './target.ts'
import { Witness } from './witness.ts'

/** Result of an attack, with the measured value for each bound. A missing response counts as an infinite time. */
export interface Figures extends Bounds {
  readonly lives: boolean
  /** Memory of the service before the attack. */
  readonly restRssMiB: number
  readonly sendP50Ms: number
  readonly readP50Ms: number
  /** Response time of `/healthz` on a second, idle service, which shows the delay caused by the machine itself. */
  readonly quietHealthP99Ms: number
  readonly answered: Answered
}

const USUAL_BOUNDS: Bounds = {
  ...{ peakRssMiB: 600, sendP99Ms: 1_000, deliveryP99Ms: 5_000 },
  ...{ readP99Ms: 1_000, healthP99Ms: 500 },
}

/** Returns the names of the measured values that exceed their bounds. */
export function missedBounds(
  figures: Figures,
  { bounds: others, limits = {} }: Pick<Recipe, 'bounds' | 'limits'>,
): (keyof Figures)[] {
  const bounds = { ...USUAL_BOUNDS, ...others }
  const missed = (Object.keys(bounds) as (keyof Bounds)[]).filter((name) => !(figures[name] < bounds[name]))
  const isOver = ([name, most]: [string, number]): boolean => !((figures.answered[name] ?? Infinity) < most)
  const ofItsOwn = Object.entries(limits).some(isOver) ? (['answered'] as const) : []
  return [...(figures.lives ? [] : (['lives'] as const)), ...missed, ...ofItsOwn]
}

/** Time that the witness continues to work after the attack. */
const AFTERWARDS_MS = 2_000

/** Runs an attack on a new service, which is removed afterwards. */
export async function runAttack(recipe: Recipe): Promise<Figures> {
  const quiet = await Target.start({})
  const target = await Target.start(recipe)
  try {
    const bystander = new Witness(quiet.url, quiet.honest, quiet.sink, ['health'])
    const witness = new Witness(target.url, target.honest, target.sink)
    await Promise.all([witness.warmUp(), bystander.warmUp()])
    const restRssMiB = target.rssMiB()
    witness.start()
    bystander.start()
    const answered = await recipe.run({ ...target.attacked, load: runLoad })
    await sleep(AFTERWARDS_MS)
    const { sends, deliveries, reads, health } = await witness.stop()
    const { health: quietHealth } = await bystander.stop()
    const { lives, peakRssMiB } = target
    if (!lives) console.log(target.lastWords())
    return {
      ...{ lives, restRssMiB, peakRssMiB, answered },
      sendP50Ms: percentile(sends, 50),
      sendP99Ms: percentile(sends, 99),
      deliveryP99Ms: percentile(deliveries, 99),
      readP50Ms: percentile(reads, 50),
      readP99Ms: percentile(reads, 99),
      healthP99Ms: percentile(health, 99),
      quietHealthP99Ms: percentile(quietHealth, 99),
    }
  } finally {
    await Promise.all([target.stop(), quiet.stop()])
  }
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Infinity
}
