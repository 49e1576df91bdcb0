// Container of a table. Rows become blocks if the container is narrower than the table, so that no value is cut off or
// covered.

import { type ReactNode, useLayoutEffect, useRef } from 'react'

interface TableRoomProps {
  /** Label of the table for screen readers. */
  readonly label: string
  /** True if rows are blocks on every phone, even if the table would fit. */
  readonly blocks?: boolean
  readonly children: ReactNode
}

const TELEPHONE = '(max-width: 36em)'

/**
 * Pattern of a long word, such as an e-mail address, which may break in a narrow column; an ID is shorter and does not
 * break.
 */
const LONG_WORD = /\S{33}/

export function TableRoom({ label, blocks = false, children }: TableRoomProps) {
  const room = useRef<HTMLElement>(null)
  const width = useRef<HTMLDivElement>(null)
  // The layout is computed after every change of the table, before the next paint.
  useLayoutEffect(() => {
    if (room.current !== null) arrange(room.current, blocks)
  })
  useLayoutEffect(() => {
    // The observed element has no height, because its size must not change with the layout.
    if (width.current === null) return undefined
    const observer = new ResizeObserver(() => {
      if (room.current !== null) arrange(room.current, blocks)
    })
    observer.observe(width.current)
    return () => observer.disconnect()
  }, [blocks])
  return (
    <>
      <div ref={width} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section ref={room} className="table-scroll" aria-label={label} tabIndex={0}>
        {children}
      </section>
    </>
  )
}

/** Measures the table in table form, then selects table form or blocks. */
function arrange(room: HTMLElement, blocks: boolean): void {
  for (const cell of room.querySelectorAll('td')) cell.toggleAttribute('data-long-words', hasLongWord(cell))
  // The container keeps its height during the measurement, otherwise the page would lose its scroll position.
  room.style.minHeight = `${room.offsetHeight}px`
  room.removeAttribute('data-blocks')
  const inBlocks = (blocks && matchMedia(TELEPHONE).matches) || room.scrollWidth > room.clientWidth
  room.toggleAttribute('data-blocks', inBlocks)
  room.style.minHeight = ''
}

function hasLongWord(cell: Element): boolean {
  if (!LONG_WORD.test(cell.textContent)) return false
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
  while (texts.nextNode() !== null) if (LONG_WORD.test(texts.currentNode.nodeValue ?? '')) return true
  return false
}
