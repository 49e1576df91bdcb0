// `npm run attack [-- list | name ...]` attacks a running service that also serves an honest tenant, and checks the
// limits that each attack sets.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figures, missedBounds, runAttack } from './attack/attack.ts'
import type { Recipe } from './attack/recipe.ts'

const RECIPES = join(import.meta.dirname, 'attack/recipes')

/** Returns all attack recipes of the directory, by file name without the extension. */
async function allRecipes(): Promise<ReadonlyMap<string, Recipe>> {
  const names = (await readdir(RECIPES)).filter((file) => file.endsWith('.ts')).sort()
  const read = async (file: string): Promise<[string, Recipe]> => {
    const { recipe } = (await import(join(RECIPES, file))) as { recipe: Recipe }
    return [file.slice(0, -'.ts'.length), recipe]
  }
  return new Map(await Promise.all(names.map(read)))
}

const ms = (value: number): string => (Number.isFinite(value) ? `${Math.round(value)} ms` : 'never')

function line(name: string, recipe: Recipe, figures: Figures): string {
  const missed = missedBounds(figures, recipe)
  const mark = (bound: keyof Figures, text: string): string => (missed.includes(bound) ? `!! ${text}` : text)
  const answers = Object.entries(figures.answered).map(([answer, count]) => `${answer} × ${count}`)
  return [
    `${missed.length === 0 ? 'kept  ' : 'MISSED'} ${name} (${recipe.finding})`,
    mark('lives', figures.lives ? 'the process lives' : 'THE PROCESS DIED'),
    mark('peakRssMiB', `peak RSS ${Math.round(figures.restRssMiB)} → ${Math.round(figures.peakRssMiB)} MiB`),
    mark('sendP99Ms', `another tenant's send p50 ${ms(figures.sendP50Ms)}, p99 ${ms(figures.sendP99Ms)}`),
    mark(
      'readP99Ms',
      `short reads of the same tenant p50 ${ms(figures.readP50Ms)}, p99 ${ms(figures.readP99Ms)}`,
    ),
    mark('deliveryP99Ms', `delivery p99 ${ms(figures.deliveryP99Ms)}`),
    mark(
      'healthP99Ms',
      `/healthz p99 ${ms(figures.healthP99Ms)} (of an idle second service ${ms(figures.quietHealthP99Ms)})`,
    ),
    mark('answered', `responses to the attacker: ${answers.join(', ') || 'nothing'}`),
  ].join('; ')
}

const recipes = await allRecipes()
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !recipes.has(name))
if (unknown.length > 0) {
  if (wanted.join() !== 'list') console.log(`There is no attack ${unknown.join(', ')}. The attacks are:`)
  for (const [name, { finding, sentence }] of recipes)
    console.log(`${name.padEnd(20)} ${finding}: ${sentence}`)
  process.exit(wanted.join() === 'list' ? 0 : 2)
}

let missed = 0
for (const [name, recipe] of recipes) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const figures = await runAttack(recipe)
  console.log(line(name, recipe, figures))
  missed += missedBounds(figures, recipe).length
}
process.exitCode = missed === 0 ? 0 : 1
