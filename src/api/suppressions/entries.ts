// Reads a list of suppressions from JSON: problems are reported for each entry, and do not prevent the other entries.

import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { shapeProblemsOf } from '../../http/shape.ts'
import { fits } from '../../http/shape-validator.ts'
import { type FieldProblem, invalidFields, MAX_PROBLEMS } from '../../model/problem.ts'
import type { SuppressionInput } from '../../streams/suppression-list.ts'
import { Pacer } from '../../threads/pacer.ts'

/** Result of a list of entries: the number of rejected entries and the first hundred problems. */
interface Outcome {
  readonly rejected: number
  readonly problems: readonly FieldProblem[]
}

interface Entries {
  /** Entries with the right shape. */
  readonly fitting: readonly SuppressionInput[]
  /** Number of entries with the wrong shape. */
  readonly misshapen: number
  /**
   * Extends the result of the valid entries to all entries. Each problem gets the index of its entry in the whole list.
   */
  report<Result extends Outcome>(result: Result): Result
}

/** Pacer that pauses between entries, so that other requests get turns of the event loop. */
const pacer = new Pacer()

/**
 * Returns the entries of `suppressions`. Throws `validation_failed` for problems in the rest of the body.
 *
 * @param body shape of the whole body, with entries of any shape
 * @param entry shape of each entry
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
  const report: Entries['report'] = (result) => together({ rejected, problems: found }, result, places)
  return { fitting, misshapen: rejected, report }
}

/**
 * Returns the problems of field names in the JSON body, grouped by the index of the entry. If there are too many
 * problems to list all, each problem counts as a problem of the whole body.
 */
function nameProblems({ fieldNameProblems }: FastifyRequest) {
  const all = fieldNameProblems ?? []
  const placeIn = (problem: FieldProblem): number =>
    all.length < MAX_PROBLEMS && /^suppressions\[/.test(problem.path) ? placeOf(problem) : -1
  const byPlace = Map.groupBy(all, placeIn)
  return { ofEntries: byPlace, ofBody: byPlace.get(-1) ?? [] }
}

const placeOf = ({ path }: FieldProblem): number => Number(/^suppressions\[(\d+)\]/.exec(path)?.[1] ?? -1)

/**
 * Combines the results of all entries; `result` contains problems with indexes among the entries of the right shape.
 */
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
