// Layout faults of a page that a reader notices at once and that axe-core does not find.

// Functions that run in the page are strings, because the tests have no type declarations for the browser.

/** Maximum length of a word that must not break in a narrow column; IDs and most addresses are shorter. */
const MAX_WHOLE_WORD = 32
/** Maximum length of such a word in a window of less than 360 pixels, where an ID is wider than a line. */
const MAX_NARROW_WORD = 20

/** Expression that names elements wider than the window; empty if there are none. */
const TOO_WIDE = `(() => {
  const most = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth <= most) return []
  return [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > most + 1)
    .map((one) => 'too wide: ' + one.tagName + '.' + one.className + ' ' + one.textContent.slice(0, 40))
    .slice(0, 5)
})()`

/**
 * Expression that lists all layout faults in words. The document keeps the compiled function, because many pages are
 * shown in the same document and a reused function is optimised by the engine.
 */
export const LAYOUT_FAULTS = `(globalThis.layoutFaults ??= () => {
  const faults = []
  const isShown = (one) => one.getClientRects().length > 0
  const tell = (one) => one.textContent.trim().slice(0, 60)

  faults.push(...${TOO_WIDE})

  for (const tab of document.querySelectorAll('.tabs > [aria-current], [role=tablist] > [aria-selected=true]')) {
    const [own, list] = [tab, tab.parentElement].map((one) => one.getBoundingClientRect())
    if (own.left < list.left - 1 || own.right > list.right + 1) faults.push('open tab out of view: ' + tell(tab))
  }

  for (const table of document.querySelectorAll('.data-table')) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])]
    const sizes = []
    for (const row of table.tBodies[0]?.rows ?? []) {
      const cells = [...row.cells]
      if (cells.length !== heads.length) continue
      cells.forEach((cell, index) => {
        const head = heads[index]
        if (!isShown(cell) || tell(head) === '') return
        const edge = cell.classList.contains('number') ? 'Right' : 'Left'
        const at = (one) => parseFloat(getComputedStyle(one)['padding' + edge])
        if (isShown(head) && Math.abs(at(head) - at(cell)) > 0.5) faults.push('not in line with its title: ' + tell(head))
        const dash = getComputedStyle(cell, '::before').content
        const says = tell(cell) !== '' || cell.querySelector('svg, input, button, img') !== null
        // Texts of one column have one size; a second line of a cell may be smaller.
        const first = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode()
        if (first !== null && tell(cell) !== '' && cell.querySelector('svg, .code-line, .mantine-Badge-root, .visually-hidden') === null) {
          const size = getComputedStyle(first.parentElement).fontSize
          sizes[index] ??= size
          if (sizes[index] !== size) faults.push('another size than its column: ' + tell(cell))
        }
        if (!says && !cell.hasAttribute('data-actions') && (cell.childNodes.length > 0 || dash === 'none')) faults.push('empty cell: ' + tell(head))
      })
    }
  }

  // Every value must be visible without scrolling, and no sticky cell may cover a value.
  for (const room of document.querySelectorAll('.table-scroll')) {
    if (isShown(room) && room.scrollWidth > room.clientWidth + 1) faults.push('table wider than its room: ' + room.ariaLabel)
  }
  for (const table of document.querySelectorAll('table')) {
    const around = table.closest('.table-scroll, .card, [role=dialog], main')
    if (!isShown(table) || around === null || table.closest('.visually-hidden') !== null) continue
    if (table.getBoundingClientRect().right > around.getBoundingClientRect().right + 1) faults.push('table wider than its card: ' + table.ariaLabel)
  }
  for (const over of document.querySelectorAll('.data-table :is(th, td)')) {
    if (getComputedStyle(over).position !== 'sticky') continue
    const box = over.getBoundingClientRect()
    for (const cell of over.parentElement.cells) {
      const { left, right } = cell.getBoundingClientRect()
      if (cell !== over && isShown(cell) && right > box.left + 1 && left < box.right - 1) faults.push('covered by a sticky cell: ' + tell(cell))
    }
  }

  // The CSS title of a cell has no text node whose lines could be counted.
  for (const cell of document.querySelectorAll('[data-title]')) {
    const { content, overflowWrap, wordBreak } = getComputedStyle(cell, '::before')
    if (isShown(cell) && content !== 'none' && (overflowWrap === 'anywhere' || wordBreak !== 'normal')) faults.push('title may be divided: ' + cell.dataset.title)
  }

  const isNarrow = document.documentElement.clientWidth < 360
  const longest = isNarrow ? ${MAX_NARROW_WORD} : ${MAX_WHOLE_WORD}
  const range = document.createRange()
  for (const cell of document.querySelectorAll('.data-table :is(th, td)')) {
    if (!isShown(cell)) continue
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const short = [...text.data.matchAll(/\\S+/g)].filter(([run]) => run.length <= longest)
      for (const run of short) {
        for (const word of run[0].matchAll(/[\\p{L}\\p{N}@._+]+/gu)) {
          range.setStart(text, run.index + word.index)
          range.setEnd(text, run.index + word.index + word[0].length)
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
          if (lines.size > 1) faults.push('divided word: ' + word[0])
        }
      }
    }
  }

  // Controls of a row must be visible without scrolling the table.
  const right = document.documentElement.clientWidth
  for (const one of document.querySelectorAll('.data-table :is(button, input, select)')) {
    if (isShown(one) && one.getBoundingClientRect().right > right + 1) faults.push('action out of view: ' + tell(one.closest('tr')))
  }

  const everyText = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = everyText.nextNode(); text !== null && !isNarrow; text = everyText.nextNode()) {
    for (const id of text.data.matchAll(/\\b[a-z]{3,4}_[0-9A-Z]{26}\\b/g)) {
      range.setStart(text, id.index)
      range.setEnd(text, id.index + id[0].length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 1) faults.push('divided ID: ' + id[0])
    }
  }

  for (const chart of document.querySelectorAll('.bar-chart svg')) {
    const labels = [...chart.querySelectorAll('text')].filter(isShown).map((one) => [tell(one), one.getBoundingClientRect()])
    labels.forEach(([one, a], index) => {
      for (const [other, b] of labels.slice(index + 1)) {
        const touch = a.left < b.right + 2 && b.left < a.right + 2 && a.top < b.bottom && b.top < a.bottom
        if (touch) faults.push('labels touch: ' + one + ', ' + other)
      }
    })
  }

  // Labels of controls must be complete; other text may be truncated with an ellipsis.
  const whole = 'button, label, th, [role=tab], .mantine-Badge-root, .mantine-Button-label, .mantine-SegmentedControl-label'
  for (const one of document.querySelectorAll('body *')) {
    const ownText = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    if (!ownText || one.clientWidth <= 2 || !isShown(one)) continue
    const { overflowX, textOverflow, lineClamp, webkitLineClamp } = getComputedStyle(one)
    if (overflowX !== 'hidden' && overflowX !== 'clip') continue
    const isTold = textOverflow === 'ellipsis' || webkitLineClamp !== 'none' || lineClamp > 0
    const isCut = one.scrollWidth > one.clientWidth + 1
    if (isCut && (!isTold || one.closest(whole) !== null)) faults.push('cut off: ' + tell(one))
  }

  for (const sign of document.querySelectorAll('button svg[width], a svg[width]')) {
    const { width } = sign.getBoundingClientRect()
    const isHidden = sign.closest('[hidden], [inert]') !== null || !isShown(sign.closest('button, a'))
    if (!isHidden && width < sign.getAttribute('width') - 1) faults.push('shrunken sign: ' + sign.closest('button, a').ariaLabel)
  }

  // Controls must not overlap.
  const isFixed = (one) => {
    for (let at = one; at !== null; at = at.parentElement) if (/fixed|sticky/.test(getComputedStyle(at).position)) return true
    return false
  }
  // Returns the part of an element that surrounding scroll and clip boxes leave visible.
  const seen = (one) => {
    let { left, right, top, bottom } = one.getBoundingClientRect()
    for (let at = one.parentElement; at !== null && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflow === 'visible') continue
      const box = at.getBoundingClientRect()
      left = Math.max(left, box.left)
      right = Math.min(right, box.right)
      top = Math.max(top, box.top)
      bottom = Math.min(bottom, box.bottom)
    }
    return { left, right, top, bottom }
  }
  const pressed = [...document.querySelectorAll('a[href], button, input, select, textarea')]
    .filter((one) => isShown(one) && one.closest('[inert], [aria-hidden=true]') === null && getComputedStyle(one).opacity !== '0' && !isFixed(one))
    .map((one) => [one, seen(one)])
    .filter(([, box]) => box.right - box.left > 2 && box.bottom - box.top > 2)
  // Popups may cover the page.
  const layerOf = (one) => one.closest('[role=menu], [role=dialog], [role=listbox], [data-portal]')
  const fieldOf = (one) => one.closest('.mantine-Input-wrapper, .mantine-PillsInput-input')
  pressed.forEach(([one, a], index) => {
    for (const [other, b] of pressed.slice(index + 1)) {
      if (one.contains(other) || other.contains(one) || layerOf(one) !== layerOf(other)) continue
      if (fieldOf(one) !== null && fieldOf(one) === fieldOf(other)) continue
      const covers = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2
      if (covers) faults.push('one over the other: ' + tell(one) + ', ' + tell(other))
    }
  })
  return [...new Set(faults)]
})()`
