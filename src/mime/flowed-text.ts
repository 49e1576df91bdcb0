// Text that its sender broke into lines for show (RFC 3676): its paragraphs become lines again.

/** How a text part is flowed; undefined where its lines are its own. */
export interface Flow {
  /** The space that marks a line as going on is none of the text's (§4.3). */
  readonly delSp: boolean
}

const CONTENT_TYPE = /^content-type[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*/im
const FORMAT = /;\s{0,80}format[ \t]{0,80}=[ \t]{0,80}"?flowed"?/i
const DEL_SP = /;\s{0,80}delsp[ \t]{0,80}=[ \t]{0,80}"?yes"?/i

/** How the text below a header section is flowed. */
export function flowOf(head: Buffer): Flow | undefined {
  const [field = ''] = CONTENT_TYPE.exec(head.toString('latin1')) ?? []
  return FORMAT.test(field) ? { delSp: DEL_SP.test(field) } : undefined
}

/** The text with each paragraph on one line, behind the marks of its quotation. Linear. */
export function unflowed(text: string, { delSp }: Flow): string {
  const lines: string[] = []
  let paragraph: string[] = []
  let depth = 0
  const end = (): void => {
    if (paragraph.length > 0) lines.push(`${'>'.repeat(depth)}${depth > 0 ? ' ' : ''}${paragraph.join('')}`)
    paragraph = []
  }
  for (const line of text.split(/\r?\n/)) {
    const [marks = ''] = /^>*/.exec(line) ?? []
    // §4.4: a space that keeps the line from looking like something else.
    const said = line.slice(marks.length).replace(/^ /, '')
    const isSignature = said === SIGNATURE
    // §4.5: lines of another depth and the separator of a signature (§4.3) are never part of the paragraph.
    if (marks.length !== depth || isSignature) end()
    depth = marks.length
    const goesOn = said.endsWith(' ') && !isSignature
    paragraph.push(goesOn && delSp ? said.slice(0, -1) : said)
    if (!goesOn) end()
  }
  end()
  return lines.join('\n')
}

const SIGNATURE = '-- '
