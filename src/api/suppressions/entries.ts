// A list of suppressions as JSON: what is wrong with one entry is told of it, and does not keep the others from counting.

import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { shapeProblemsOf } from '../../http/shape.ts'
import { fits } from '../../http/shape-validator.ts'
import { type FieldProblem, invalidFields, MAX_PROBLEMS } from '../../model/problem.ts'
import type { SuppressionInput } from '../../streams/suppression-list.ts'
import { Pacer } from '../../threads/pacer.ts'

/** What became of entries: how many were wrong, and the problems of the first hundred of them. */
interface Outcome {
  readonly rejected: number
  readonly problems: readonly FieldProblem[]
}

interface Entries {
  /** Those of the right shape. */
  readonly fitting: readonly SuppressionInput[]
  /** What became of these as that of all: each problem with its place in the list. */
  told<Result extends Outcome>(result: Result): Result
}

/** Entries wait for turns of the event loop, of which other requests have theirs. */
const pacer = new Pacer()

/**
 * The entries of `suppressions`. Throws `validation_failed` for what is wrong with the rest of the body.
 *
 * @param body the shape of the whole, with entries of any shape
 * @param entry the shape of each entry
 */
export async function readEntries(request: FastifyRequest, body: TSchema, entry: TSchema): Promise<Entries> {
  const { ofEntries, ofBody } = nameProblems(request)
  const problems = [...ofBody, ...shapeProblemsOf(body, request.body)]
  if (problems.length > 0) throw invalidFields(problems)
  const { suppressions } = request.body as { readonly suppressions: readonly unknown[] }
  const fitting: SuppressionInput[] = []
  const places: number[] = []
  const found: FieldProblem[] = []
  for (const [place, one] of suppressions.entries()) {
    await pacer.turn()
    const names = ofEntries.get(place) ?? []
    if (names.length === 0 && fits(entry, one)) {
      fitting.push(one as SuppressionInput)
      places.push(place)
    } else if (found.length < MAX_PROBLEMS) {
      const shape = shapeProblemsOf(entry, one).map((problem) => ({
        ...problem,
        path: `suppressions[${place}]${problem.path === '' ? '' : `.${problem.path}`}`,
      }))
      found.push(...names, ...shape.filter(({ path }) => names.every((name) => name.path !== path)))
    }
  }
  const rejected = suppressions.length - fitting.length
  return { fitting, told: (result) => together({ rejected, problems: found }, result, places) }
}

/** Problems of names in the JSON: those in an entry by its place. Of so many that not all are known each is of the body. */
function nameProblems({ fieldNameProblems }: FastifyRequest) {
  const all = fieldNameProblems ?? []
  const placeIn = (problem: FieldProblem): number =>
    all.length < MAX_PROBLEMS && /^suppressions\[/.test(problem.path) ? placeOf(problem) : -1
  const byPlace = Map.groupBy(all, placeIn)
  return { ofEntries: byPlace, ofBody: byPlace.get(-1) ?? [] }
}

const placeOf = ({ path }: FieldProblem): number => Number(/^suppressions\[(\d+)\]/.exec(path)?.[1] ?? -1)

/** What became of all entries; the problems of `result` tell their place among those of the right shape. */
function together<Result extends Outcome>(wrong: Outcome, result: Result, places: readonly number[]): Result {
  const ofFitting = result.problems.map((problem) => ({
    ...problem,
    path: problem.path.replace(/\d+/, (index) => String(places[Number(index)])),
  }))
  const problems = [...wrong.problems, ...ofFitting]
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .slice(0, MAX_PROBLEMS)
  return { ...result, rejected: wrong.rejected + result.rejected, problems }
}
