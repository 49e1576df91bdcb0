// Measures the depth of nested elements in HTML, because the HTML libraries take too long for deeply nested elements.

import { TEXT_ONLY, tagsOf } from './html-tags.ts'

/** Elements without an end tag, and elements with an optional end tag, which the next element of the same kind ends. */
const NEVER_OPEN = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option optgroup rp rt colgroup'.split(
    ' ',
  ),
)
/** Elements within which `/>` closes a tag; everywhere else in HTML, `/>` has no effect. */
const FOREIGN = new Set(['svg', 'math'])

/**
 * Maximum depth of elements; real mail has a depth of up to about 60. The time of the libraries grows with the square
 * of the depth.
 */
export const MAX_HTML_DEPTH = 256

/** True if elements are nested deeper than `limit`. Runs in linear time. */
export function isDeeperThan(html: string, limit: number): boolean {
  let depth = 0
  let foreign = 0
  for (const { name, isEnd, isSelfClosing } of tagsOf(html)) {
    if (NEVER_OPEN.has(name) || TEXT_ONLY.has(name)) continue
    if (FOREIGN.has(name)) foreign = Math.max(0, foreign + (isEnd ? -1 : 1))
    if (isEnd) depth = Math.max(0, depth - 1)
    else if (foreign > 0 && isSelfClosing) continue
    else if (++depth > limit) return true
  }
  return false
}
