// Runs failed test files a second time, after the same files and in the same order as in the first run. Changed test
// files have no second run.

import type { Choice } from './choice.ts'
import { type Outcome, runGroup } from './group-run.ts'
import { changedSince } from './import-graph.ts'
import type { Group } from './plan.ts'
import type { GroupOutcome } from './totals.ts'

/**
 * Maximum number of failed files for a second run; more failures have a common cause, and a second run takes too long.
 */
const MAX_AGAIN = 12

/** True if a test, a file or the process of a group has failed. */
export const isFailed = ({ processFailed, failed, failedFiles }: Outcome): boolean =>
  processFailed || failed > 0 || failedFiles.size > 0

/**
 * Runs failed files once more, and prints the conclusion for each file. A file that passes in the second run has a race
 * condition, which is reported but does not fail the test run. Returns true if the test run has failed.
 */
export async function tryAgain(
  outcomes: readonly GroupOutcome[],
  { tier, isWhole }: Choice,
  signal: AbortSignal,
): Promise<boolean> {
  const failed = outcomes.filter(isFailed)
  const files = failed.flatMap(({ failedFiles }) => [...failedFiles])
  if (failed.length === 0) return false
  // Test files named on the command line have no second run, because a developer looks at the result.
  if (!isWhole || files.length > MAX_AGAIN) return true
  const changed = testsOfTheChange()
  const own = files.filter((file) => changed.has(file))
  for (const file of own) console.log(`✖ ${file}: failed; changed test files get no second try`)
  if (own.length > 0) return true
  let isRed = false
  for (const outcome of failed) {
    const again = await runGroup(untilLastFailed(outcome), {
      tier,
      signal,
      isVerbose: false,
      forceExit: true,
    })
    if (isFailed(again)) isRed = true
    await tell(outcome, again, signal)
  }
  return isRed
}

/** Returns the test files that differ from the commit `TEST_BASE`, or from the commit before the latest by default. */
function testsOfTheChange(): ReadonlySet<string> {
  try {
    return new Set(
      changedSince(process.env.TEST_BASE ?? 'HEAD~1').filter((file) => file.endsWith('.test.ts')),
    )
  } catch {
    // A package or a shallow clone has no commit history.
    return new Set()
  }
}

/** Returns the group with its files up to the last failed file, or the whole group if the process has failed. */
function untilLastFailed({ group, failedFiles, processFailed }: GroupOutcome): Group {
  if (processFailed) return group
  const last = group.files.findLastIndex((file) => failedFiles.has(file))
  return { ...group, files: group.files.slice(0, last + 1) }
}

async function tell(first: GroupOutcome, again: Outcome, signal: AbortSignal): Promise<void> {
  const { group } = first
  if (first.processFailed) {
    console.log(
      again.processFailed
        ? `✖ the process of ${group.name} fails again`
        : `⚠ the process of ${group.name} failed once: a race condition, which must be fixed`,
    )
  }
  for (const file of first.failedFiles) {
    if (!again.failedFiles.has(file)) {
      console.log(
        `⚠ ${file} (${group.database}): passes in the same order: a race condition, which must be fixed`,
      )
      continue
    }
    const alone = await runGroup(
      { ...group, files: [file] },
      { tier: 'all', signal, isVerbose: false, forceExit: true },
    )
    const told = isFailed(alone)
      ? 'fails alone as well'
      : 'passes alone, so the file depends on earlier files'
    console.log(`✖ ${file} (${group.database}): fails again, and ${told}`)
  }
}
