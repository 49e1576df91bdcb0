// Text of HTML without its tags: for reports that come in no other form.

const HIDDEN = ['style', 'script', 'title']

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  nbsp: ' ',
  apos: "'",
}

/** The text of HTML, roughly: a new line for each block, no tags. Linear, whatever the HTML. */
export function plainText(html: string): string {
  return HIDDEN.reduce(withoutElement, html)
    .replace(/<!--[^<>]{0,1000}-->/g, '')
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/<(?:br|\/p|\/div|\/tr|\/h\d|\/li|\/table|hr)\b[^<>]{0,1000}>/gi, '\n')
    .replace(/<[a-z/!][^<>]{0,1000}>/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hexadecimal, name) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : ''
    })
    .replace(/^ +/gm, '')
}

/** Without the elements of that name and what is in them; one that is not closed goes on to the end. */
function withoutElement(html: string, name: string): string {
  const lower = html.toLowerCase()
  // A character whose lower case is longer would shift what is found; then tags alone are removed.
  if (lower.length !== html.length) return html
  let kept = ''
  let from = 0
  for (;;) {
    const start = lower.indexOf(`<${name}`, from)
    if (start < 0) return kept + html.slice(from)
    kept += html.slice(from, start)
    const end = lower.indexOf(`</${name}`, start)
    if (end < 0) return kept
    from = end
  }
}
