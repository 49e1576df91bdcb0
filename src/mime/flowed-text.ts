// Joins the lines of format=flowed text into paragraphs (RFC 3676).

/** Parameters of format=flowed. */
export interface Flow {
  /** True if the space at the end of a flowed line is not part of the text (RFC 3676 §4.3). */
  readonly delSp: boolean
}

const CONTENT_TYPE = /^content-type[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*/im
const FORMAT = /;\s{0,80}format[ \t]{0,80}=[ \t]{0,80}"?flowed"?/i
const DEL_SP = /;\s{0,80}delsp[ \t]{0,80}=[ \t]{0,80}"?yes"?/i

/** Returns the format=flowed parameters in a header section; undefined for text that is not format=flowed. */
export function flowOf(head: Buffer): Flow | undefined {
  const [field = ''] = CONTENT_TYPE.exec(head.toString('latin1')) ?? []
  return FORMAT.test(field) ? { delSp: DEL_SP.test(field) } : undefined
}

/**
 * Returns the text with each paragraph joined to one line, which begins with the quote marks (`>`) of the paragraph.
 * Runs in linear time.
 */
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
    // A leading space protects lines that look like `From ` or a quotation (RFC 3676 §4.4).
    const said = line.slice(marks.length).replace(/^ /, '')
    const isSignature = said === SIGNATURE
    // Lines of another quote depth (RFC 3676 §4.5) and the signature separator (§4.3) are never part of the paragraph.
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
