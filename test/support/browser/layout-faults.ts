// Faults of a page's layout that a reader sees at once and no rule of axe-core knows.

// Code that runs inside the page is text here: the tests know no types of a browser.

/** Longer words may be divided where a column is narrow. */
const MAX_WHOLE_WORD = 20

/** An expression whose value names what is wider than the window; empty where nothing is. */
export const TOO_WIDE = `(() => {
  const most = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth <= most) return []
  return [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > most + 1)
    .map((one) => 'too wide: ' + one.tagName + '.' + one.className + ' ' + one.textContent.slice(0, 40))
    .slice(0, 5)
})()`

/** An expression whose value is a list of all faults, in words. */
export const LAYOUT_FAULTS = `(() => {
  const faults = []
  const isShown = (one) => one.getClientRects().length > 0
  const tell = (one) => one.textContent.trim().slice(0, 60)

  faults.push(...${TOO_WIDE})

  for (const table of document.querySelectorAll('.data-table')) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])]
    for (const row of table.tBodies[0]?.rows ?? []) {
      const cells = [...row.cells]
      if (cells.length !== heads.length) continue
      cells.forEach((cell, index) => {
        const head = heads[index]
        if (!isShown(cell) || tell(head) === '') return
        const edge = cell.classList.contains('number') ? 'Right' : 'Left'
        const at = (one) => parseFloat(getComputedStyle(one)['padding' + edge])
        if (Math.abs(at(head) - at(cell)) > 0.5) faults.push('not in line with its title: ' + tell(head))
        const dash = getComputedStyle(cell, '::before').content
        const says = tell(cell) !== '' || cell.querySelector('svg, input, button, img') !== null
        if (!says && !cell.hasAttribute('data-actions') && (cell.childNodes.length > 0 || dash === 'none')) faults.push('empty cell: ' + tell(head))
      })
    }
  }

  const range = document.createRange()
  for (const cell of document.querySelectorAll('.data-table :is(th, td)')) {
    if (!isShown(cell)) continue
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      for (const word of text.data.matchAll(/[\\p{L}\\p{N}@._+]+/gu)) {
        if (word[0].length > ${MAX_WHOLE_WORD}) continue
        range.setStart(text, word.index)
        range.setEnd(text, word.index + word[0].length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) faults.push('divided word: ' + word[0])
      }
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
  return [...new Set(faults)]
})()`
