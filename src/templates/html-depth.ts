// Depth of nested elements in HTML, since the HTML libraries take too long for very deep ones.

import { TEXT_ONLY, tagsOf } from './html-tags.ts'

/** Elements without an end tag, and those whose end tag may be left out: the next of their kind ends them. */
const NEVER_OPEN = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option optgroup rp rt colgroup'.split(
    ' ',
  ),
)
/** Elements in which `/>` closes a tag, as it does nowhere else in HTML. */
const FOREIGN = new Set(['svg', 'math'])

/** Elements within each other; real mail has some 60. The libraries take time by the square of it. */
export const MAX_HTML_DEPTH = 256

/** True if elements stand deeper than `limit`. Takes time in proportion to the length. */
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
