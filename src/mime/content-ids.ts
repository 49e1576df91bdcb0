// The parts of a message that its HTML shows by `cid:` (RFC 2392).

/** `cid:` with its colon in any spelling, and what follows up to a sign that no link has. */
const LINK = /\bcid(?::|&colon;|&#0{0,9}58;|&#x0{0,9}3a;|%3a)([^"'<>\s]{1,1000})/gi

/** Ends of a link that stands in CSS or in a list of links, where an ID may have the sign as well. */
const ENDS = /[),]|&quot;|&#0{0,9}3[49];|&apos;/

/**
 * The IDs that HTML names, as it spells them, by their spelling in lower case. Entities and percent-encoding are undone; the
 * spelling of the HTML itself counts as well. Linear.
 */
export function shownContentIds(html: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [, link = ''] of html.matchAll(LINK)) {
    const end = link.search(ENDS)
    for (const written of end < 0 ? [link] : [link, link.slice(0, end)]) {
      const plain = withoutEntities(written)
      for (const id of [percentDecoded(plain), plain]) {
        if (!found.has(id.toLowerCase())) found.set(id.toLowerCase(), id)
      }
    }
  }
  return found
}

/** The ID in the spelling of the HTML that shows it: readers compare it byte for byte. Undefined for one that is not shown. */
export function shownSpelling(id: string, shown: ReadonlyMap<string, string>): string | undefined {
  const bare = id.replace(/^(["'])(.*)\1$/, '$2')
  for (const spelling of shown.values()) if (spelling === bare) return bare
  return shown.get(bare.toLowerCase()) ?? (shown.has(percentDecoded(bare).toLowerCase()) ? bare : undefined)
}

const ENTITY = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|commat|period|lowbar|hyphen));/gi
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
  ...{ commat: '@', period: '.', lowbar: '_', hyphen: '-' },
}

const withoutEntities = (text: string): string =>
  text.replace(ENTITY, (whole, hexadecimal, decimal, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
