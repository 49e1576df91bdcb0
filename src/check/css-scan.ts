// Scans CSS in linear time for declarations, selectors and at-rules with their offsets.

/** Part of a style sheet or of a style attribute. */
export type CssPart =
  | {
      readonly kind: 'declaration'
      readonly property: string
      readonly value: string
      readonly offset: number
    }
  | { readonly kind: 'selector'; readonly text: string; readonly offset: number }
  | { readonly kind: 'rule'; readonly name: string; readonly offset: number }

/** Characters that end a part, and beginnings of texts that contain such characters without a meaning. */
const MARK = /[{};"'(]|\/\*|\{\{|<!--|-->/g

/**
 * Blocks whose content applies to some mail programs by design, or that contain no declarations of elements. A program
 * that ignores the block shows the message as the rest of the sheet says.
 */
const CONDITIONAL =
  /^@(?:media|supports|container|layer|keyframes|-[a-z]+-keyframes|font-face|page|counter-style)\b/i

/**
 * Yields the parts of a style sheet, or of a style attribute, without the content of conditional blocks.
 *
 * @param start offset of the CSS in the source, which is added to all offsets
 * @param inRule true for a style attribute, whose text begins within a rule
 */
export function* cssParts(css: string, start: number, inRule: boolean): Generator<CssPart, void> {
  /** Depth of open blocks, and the depth of the outermost conditional block. */
  let depth = inRule ? 1 : 0
  let skipped = Number.POSITIVE_INFINITY
  let from = 0
  const mark = new RegExp(MARK)
  const part = (to: number): CssPart | undefined =>
    depth > skipped ? undefined : partOf(css.slice(from, to), start + from, depth > 0)
  for (let found = mark.exec(css); found !== null; found = mark.exec(css)) {
    const { 0: sign, index } = found
    const after = index + sign.length
    if (sign === '{') {
      const opening = depth > skipped ? undefined : blockOf(css.slice(from, index), start + from)
      if (opening !== undefined) yield opening
      depth++
      if (opening?.kind === 'rule' && CONDITIONAL.test(opening.name)) skipped = Math.min(skipped, depth - 1)
    } else if (sign === '}' || sign === ';') {
      const ended = part(index)
      if (ended !== undefined) yield ended
      if (sign === '}' && depth > 0) depth--
      if (depth <= skipped) skipped = Number.POSITIVE_INFINITY
    } else {
      const end = endOf(css, sign, after)
      if (end < 0) return
      mark.lastIndex = end
      // A comment before a part does not belong to the part.
      if (css.slice(from, index).trim() === '' && /^(?:\/\*|<!--|-->)/.test(sign)) from = end
      continue
    }
    from = after
  }
  const last = part(css.length)
  if (last !== undefined) yield last
}

/** Returns the offset after a comment, a string, a placeholder or an opening parenthesis; -1 if it does not end. */
function endOf(css: string, sign: string, after: number): number {
  if (sign === '<!--' || sign === '-->') return after
  const close = sign === '/*' ? '*/' : sign === '{{' ? '}}' : sign === '(' ? ')' : sign
  // Quotes of `url('…')` are within the parentheses, where semicolons have no meaning.
  const end = css.indexOf(close, after)
  return end < 0 ? -1 : end + close.length
}

/** Returns the declaration, or the at-rule without a block, that a text consists of. */
function partOf(text: string, offset: number, inRule: boolean): CssPart | undefined {
  const lead = text.length - text.trimStart().length
  const trimmed = text.trim()
  if (trimmed.startsWith('@')) return ruleOf(trimmed, offset + lead)
  if (!inRule) return undefined
  const colon = trimmed.indexOf(':')
  if (colon <= 0) return undefined
  const property = trimmed.slice(0, colon).trimEnd().toLowerCase()
  if (!/^[-a-z]{1,60}$/.test(property)) return undefined
  return {
    kind: 'declaration',
    property,
    value: trimmed
      .slice(colon + 1)
      .trim()
      .toLowerCase(),
    offset: offset + lead,
  }
}

function blockOf(text: string, offset: number): CssPart | undefined {
  const lead = text.length - text.trimStart().length
  const trimmed = text.trim()
  if (trimmed.startsWith('@')) return ruleOf(trimmed, offset + lead)
  return trimmed === '' ? undefined : { kind: 'selector', text: trimmed.toLowerCase(), offset: offset + lead }
}

const ruleOf = (text: string, offset: number): CssPart => ({
  kind: 'rule',
  name: /^@[-a-z]{0,40}/i.exec(text)?.[0].toLowerCase() ?? '@',
  offset,
})
