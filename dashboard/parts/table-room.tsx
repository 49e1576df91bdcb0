// The room of a table. Where it is narrower than the table, rows become blocks: no value is cut off or covered.

import { type ReactNode, useLayoutEffect, useRef } from 'react'

interface TableRoomProps {
  /** Says what the table holds, for who cannot see it. */
  readonly label: string
  /** Rows are blocks on every telephone, also where the table would fit. */
  readonly blocks?: boolean
  readonly children: ReactNode
}

const TELEPHONE = '(max-width: 36em)'

/** A longer word, such as an address, is divided where a column is narrow; an ID is whole. */
const LONG_WORD = /\S{33}/

export function TableRoom({ label, blocks = false, children }: TableRoomProps) {
  const room = useRef<HTMLElement>(null)
  const width = useRef<HTMLDivElement>(null)
  // After every change of what the table holds, before it is painted.
  useLayoutEffect(() => {
    if (room.current !== null) arrange(room.current, blocks)
  })
  useLayoutEffect(() => {
    // Of no height: what is observed must not change by what is done about it.
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled can be scrolled by keyboard */}
      <section ref={room} className="table-scroll" aria-label={label} tabIndex={0}>
        {children}
      </section>
    </>
  )
}

/** Measures the table as a table, then chooses its form. */
function arrange(room: HTMLElement, blocks: boolean): void {
  for (const cell of room.querySelectorAll('td')) cell.toggleAttribute('data-long-words', hasLongWord(cell))
  // The page keeps its height meanwhile, else it would lose its place.
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
