// `npm run attack [-- list | name ...]` attacks a running service that also serves an honest tenant, and checks the
// limits that each attack sets.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figures, missedBounds, runAttack } from './attack/attack.ts'
import type { Recipe } from './attack/recipe.ts'
import { runTool, selectedNames, wrappedNames } from './support/tool.ts'

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
    `${missed.length === 0 ? 'kept  ' : 'MISSED'} ${name}`,
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

const USAGE = `npm run attack [-- list | NAME ...]

  Attacks a running service that also serves an honest tenant, and checks the limits that each attack sets.
  Without a name all attacks run; list describes them. TEST_DATABASE=postgres runs the service on PostgreSQL.

Attacks:
${wrappedNames([...recipes.keys()])}`

await runTool(USAGE, async (words) => {
  if (words.join() === 'list') {
    for (const [name, { sentence }] of recipes) console.log(`${name.padEnd(20)} ${sentence}`)
    return 0
  }
  let missed = 0
  for (const name of selectedNames(words, 'attack', [...recipes.keys()])) {
    const recipe = recipes.get(name) as Recipe
    const figures = await runAttack(recipe)
    console.log(line(name, recipe, figures))
    missed += missedBounds(figures, recipe).length
  }
  return missed === 0 ? 0 : 1
})
