// The second try of files that failed: in the same order behind the same files, never for test files of the change.

import type { Choice } from './choice.ts'
import { type Outcome, runGroup } from './group-run.ts'
import { changedSince } from './import-graph.ts'
import type { Group } from './plan.ts'
import type { GroupOutcome } from './totals.ts'

/** With more failed files than this, the machine or something that they share is at fault, and a second try takes too long. */
const MAX_AGAIN = 12

/** True if anything of a group failed. */
export const isFailed = ({ processFailed, failed, failedFiles }: Outcome): boolean =>
  processFailed || failed > 0 || failedFiles.size > 0

/**
 * Runs failed files once more and tells of each what that shows. A file that passes in the same order races, and somebody
 * has to mend it, but the run stays green. Returns true if the run is red.
 */
export async function tryAgain(
  outcomes: readonly GroupOutcome[],
  { tier, isWhole }: Choice,
  signal: AbortSignal,
): Promise<boolean> {
  const failed = outcomes.filter(isFailed)
  const files = failed.flatMap(({ failedFiles }) => [...failedFiles])
  if (failed.length === 0) return false
  // Named files are run by somebody who looks at the result.
  if (!isWhole || files.length > MAX_AGAIN) return true
  const changed = testsOfTheChange()
  const own = files.filter((file) => changed.has(file))
  for (const file of own) console.log(`✖ ${file}: failed; files of the change have no second try`)
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

/** The test files that differ from the commit of `TEST_BASE`, else from the one before the newest. */
function testsOfTheChange(): ReadonlySet<string> {
  try {
    return new Set(
      changedSince(process.env.TEST_BASE ?? 'HEAD~1').filter((file) => file.endsWith('.test.ts')),
    )
  } catch {
    // A package or a shallow clone has no history.
    return new Set()
  }
}

/** The part of a group that ran up to its last failed file; all of it where the process failed. */
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
        : `⚠ the process of ${group.name} failed once: it races, and wants mending`,
    )
  }
  for (const file of first.failedFiles) {
    if (!again.failedFiles.has(file)) {
      console.log(`⚠ ${file} (${group.database}): passes in the same order: it races, and wants mending`)
      continue
    }
    const alone = await runGroup(
      { ...group, files: [file] },
      { tier: 'all', signal, isVerbose: false, forceExit: true },
    )
    const told = isFailed(alone) ? 'fails alone, too' : 'depends on the files before it'
    console.log(`✖ ${file} (${group.database}): fails again; it ${told}`)
  }
}
