// Depth of nested elements in HTML, since the HTML libraries take too long for very deep ones.

/** Elements without an end tag, and those whose end tag may be left out: the next of their kind ends them. */
const NEVER_OPEN = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option optgroup rp rt colgroup'.split(
    ' ',
  ),
)
/** Elements that hold text alone. */
const TEXT_ONLY = new Set(['script', 'style', 'textarea', 'title'])
/** Elements in which `/>` closes a tag, as it does nowhere else in HTML. */
const FOREIGN = new Set(['svg', 'math'])

const OPENING = /<(?:!--|(\/?)([a-z][^\s/>]*))/gi
const QUOTE_OR_END = /["'>]/g

/** Elements within each other; real mail has some 60. The libraries take time by the square of it. */
export const MAX_HTML_DEPTH = 256

/** True if elements stand deeper than `limit`. Takes time in proportion to the length. */
export function isDeeperThan(html: string, limit: number): boolean {
  let depth = 0
  let foreign = 0
  OPENING.lastIndex = 0
  for (let found = OPENING.exec(html); found !== null; found = OPENING.exec(html)) {
    const [opening, slash, written] = found
    const isEnd = slash === '/'
    const name = written?.toLowerCase() ?? ''
    const behind =
      opening === '<!--' ? after(html, '-->', OPENING.lastIndex) : endOfTag(html, OPENING.lastIndex)
    if (behind === undefined) return false
    OPENING.lastIndex = behind
    if (opening === '<!--' || NEVER_OPEN.has(name)) continue
    if (FOREIGN.has(name)) foreign = Math.max(0, foreign + (isEnd ? -1 : 1))
    if (TEXT_ONLY.has(name)) {
      const end = isEnd ? behind : endOfText(html, name, behind)
      if (end === undefined) return false
      OPENING.lastIndex = end
    } else if (isEnd) depth = Math.max(0, depth - 1)
    else if (foreign > 0 && html[behind - 2] === '/') continue
    else if (++depth > limit) return true
  }
  return false
}

/** The place behind the tag; a quoted value may hold `>`. */
function endOfTag(html: string, from: number): number | undefined {
  let at = from
  for (;;) {
    QUOTE_OR_END.lastIndex = at
    const sign = QUOTE_OR_END.exec(html)
    if (sign === null) return undefined
    if (sign[0] === '>') return sign.index + 1
    const close = html.indexOf(sign[0], sign.index + 1)
    if (close < 0) return undefined
    at = close + 1
  }
}

/** The place before the end tag of an element that holds text alone. */
function endOfText(html: string, name: string, from: number): number | undefined {
  const end = new RegExp(`</${name}\\b`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index
}

function after(html: string, text: string, from: number): number | undefined {
  const found = html.indexOf(text, from)
  return found < 0 ? undefined : found + text.length
}
