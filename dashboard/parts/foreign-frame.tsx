// Frame for a document from a stranger: the frame runs no scripts, loads no resources and follows no links.

import { SegmentedControl, Stack } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useLayoutEffect, useRef, useState } from 'react'
import { tables } from '../texts/en/tables.ts'

/**
 * Empty `sandbox` attribute, which forbids scripts, forms, windows and an origin; the document also has its own content
 * security policy.
 */
const SANDBOX = ''

interface ForeignFrameProps {
  /** Title of the frame for screen readers. */
  readonly title: string
  /** URL of the document. */
  readonly src?: string
  /** Name of the frame, for a form that posts into it. */
  readonly name?: string
  readonly width: FrameWidth
  readonly height?: string
  readonly onLoad?: () => void
}

export type FrameWidth = 'desktop' | 'mobile'

/** Widths of a message in a usual window and on a phone, in CSS pixels. */
const WIDTHS: Readonly<Record<FrameWidth, number>> = { desktop: 700, mobile: 375 }

export function ForeignFrame({ title, src, name, width, height = '70vh', onLoad }: ForeignFrameProps) {
  const [room, setRoom] = useState<number>()
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const measure = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width))
    measure.observe(element)
    return () => measure.disconnect()
  }, [])
  // A message always has the layout for its width, and is scaled down if the available width is smaller.
  const scale = room === undefined ? 1 : Math.min(1, room / WIDTHS[width])
  return (
    <div className="foreign-frame">
      <div ref={frame} className="foreign-frame-room" style={{ height }}>
        <iframe
          title={title}
          src={src}
          name={name}
          onLoad={onLoad}
          sandbox={SANDBOX}
          referrerPolicy="no-referrer"
          style={{
            width: WIDTHS[width],
            height: `calc(${height} / ${scale})`,
            transform: `translateX(-50%) scale(${scale})`,
          }}
        />
      </div>
    </div>
  )
}

/** Width below which a message has its layout for a phone until the user chooses another, in pixels. */
const MIN_DESKTOP = 500

/**
 * Returns the width of a frame: the choice of the user, or the width that fits the available space of the element with
 * the returned `ref`.
 */
export function useFrameWidth() {
  const { ref, width: room } = useElementSize()
  const [chosen, choose] = useState<FrameWidth>()
  const fitting: FrameWidth = room > 0 && room < MIN_DESKTOP ? 'mobile' : 'desktop'
  return { ref, width: chosen ?? fitting, choose }
}

/** A frame for a document with a URL, and a choice of the frame width. */
export function ForeignDocument({ title, src }: { readonly title: string; readonly src: string }) {
  const { ref, width, choose } = useFrameWidth()
  return (
    <Stack gap="sm" ref={ref}>
      <WidthChoice width={width} onChange={choose} />
      <ForeignFrame key={src} title={title} src={src} width={width} />
    </Stack>
  )
}

interface WidthChoiceProps {
  readonly width: FrameWidth
  readonly onChange: (width: FrameWidth) => void
}

export function WidthChoice({ width, onChange }: WidthChoiceProps) {
  return (
    <SegmentedControl
      size="xs"
      w="fit-content"
      aria-label={tables.width}
      value={width}
      onChange={(value) => onChange(value as FrameWidth)}
      data={[
        { value: 'desktop', label: tables.desktop },
        { value: 'mobile', label: tables.mobile },
      ]}
    />
  )
}
